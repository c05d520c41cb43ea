"""The project is described in pyproject.toml; this names the module that cffi compiles."""
from setuptools import setup

setup(cffi_modules=["build_taut.py:ffi"])
