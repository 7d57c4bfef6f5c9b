#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/lib.sh"
# shellcheck disable=SC2016
example hidden_race 'lost update on `y`'
