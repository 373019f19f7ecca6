#!/usr/bin/env bash
exec "${NVCC:-nvcc}" -arch=sm_90 -O3 -std=c++17 --threads=0 -o "${1:-calibrate}" "$(dirname "$0")"/*.cu
