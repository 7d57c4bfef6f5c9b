#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/lib.sh"
# shellcheck disable=SC2016
example abba 'deadlock between `right_lock` and `left_lock`'

# Its cycle is shown: who waits for what, and who holds it.
status 1 "$heddle" replay heddle.out/swap-1.witness
# shellcheck disable=SC2016
has out '0\.1 waits for `right_lock` \(abba_test\.c:[0-9]+\), which 0\.2 holds; 0\.2 waits for `left_lock` \(abba_test\.c:[0-9]+\), which 0\.1 holds'
