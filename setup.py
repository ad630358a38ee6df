"""Puts the configs of conf/ into the package as `poselift/conf`; everything else stands in pyproject.toml."""

from setuptools import find_namespace_packages, setup

setup(
    packages=[*find_namespace_packages(include=["poselift*"]), "poselift.conf"], package_dir={"poselift.conf": "conf"}
)
