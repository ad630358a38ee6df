# poselift in a container.
#   CPU:  docker build -t poselift:cpu .
#   GPU:  docker build --target cuda -t poselift:cuda .   (run it with --gpus all)
#   docker run --rm -v "$PWD:/data" poselift:cpu lift walk.mp4
FROM python:3.12-slim AS base
RUN useradd --create-home poselift
WORKDIR /data
ENTRYPOINT ["poselift"]

FROM base AS cuda
COPY . /src
# PyPI's torch brings CUDA; onnxruntime and onnxruntime-gpu do not work side by side.
RUN pip install --no-cache-dir "/src[tables,train]" \
    && pip uninstall --yes onnxruntime \
    && pip install --no-cache-dir "onnxruntime-gpu[cuda,cudnn]" \
    && rm -r /src
USER poselift

FROM base AS cpu
COPY . /src
RUN pip install --no-cache-dir "/src[tables]" && rm -r /src
USER poselift
