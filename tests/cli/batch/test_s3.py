"""Batches of an S3 bucket, which a server on this machine plays."""

import importlib.util

import pytest

from tests.cli.batch.conftest import BROKEN, GOOD

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(map(importlib.util.find_spec, ("moto", "flask", "s3fs"))),
        reason="needs an S3 server: pip install 'moto[s3,server]' s3fs",
    ),
    pytest.mark.filterwarnings("default"),  # those of the server and the client are not ours
]


@pytest.fixture
def server(monkeypatch):
    """A server, to which s3:// leads."""
    import s3fs
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    s3fs.S3FileSystem.clear_instance_cache()
    yield server
    server.stop()
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def bucket(server, videos):
    """The file system of a bucket with a good video and a broken one."""
    import s3fs

    files = s3fs.S3FileSystem()
    files.makedirs("bucket", exist_ok=True)  # servers of one process share their buckets
    for name in (GOOD[0], BROKEN[1]):
        files.pipe(f"bucket/videos/{name}", (videos / name).read_bytes())
    return files


@pytest.mark.usefixtures("one_process")
def test_a_batch_of_a_bucket(bucket, batch, whole):
    files = bucket
    ran = batch("s3://bucket/videos", "s3://bucket/lifted")
    assert ran.code == 3, ran.err
    (record,) = files.glob("bucket/lifted/*/batch.json")
    folder = record.rpartition("/")[0]
    (local,) = [path for path in whole.out.glob("walk-*") if path.name == folder.rpartition("/")[2]]
    assert sorted(path.rpartition("/")[2] for path in files.find(folder)) == sorted(
        path.name for path in local.iterdir()
    )
    for path in local.glob("*.npz"):
        assert files.cat_file(f"{folder}/{path.name}") == path.read_bytes()
    assert b"s3://bucket/videos/text.mov cannot be opened as a video" in files.cat_file("bucket/lifted/failures.csv")
    written = files.info(f"{folder}/person_1.npz")["LastModified"]
    assert batch("s3://bucket/videos", "s3://bucket/lifted").code == 3
    assert files.info(f"{folder}/person_1.npz")["LastModified"] == written, "it was lifted again"


@pytest.mark.usefixtures("bucket")
def test_a_bucket_that_is_not_there_or_a_server_that_is_gone(server, batch):
    ran = batch("s3://bucket/videos", "s3://nobucket/lifted")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "s3://nobucket/lifted/.batch.trial cannot be reached: The specified bucket does not exist" in ran.err
    server.stop()
    ran = batch("s3://bucket/videos", "s3://bucket/other")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "s3://bucket/videos cannot be reached: " in ran.err
