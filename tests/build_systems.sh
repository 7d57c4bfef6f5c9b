#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A CUnit project with a shared library, built by make, autotools, CMake and meson with
# CC="heddle cc"; what a compiler is asked besides.
. "${top_srcdir:?}/tests/lib.sh"
project=$programs/account
export PATH=$top_builddir:$PATH CC="heddle cc" CXX="heddle c++"
have() { command -v "$1" >/dev/null || { echo "skipped: no $1"; false; }; }

# built FOLDER PROGRAM [LIBRARY]: plain it passes; checked, the library's bug is found.
built() {
    runs_free "$1/$2"
    status 1 timeout 60 "$heddle" check -o "$1/heddle.out" "$1/$2"
    has out ' 1 FAILING$'
    # shellcheck disable=SC2016
    has out 'lost update on `balance` \(account\.c:[0-9]+\)'
}
quietly() { "$@" >log 2>&1 || fail "$*: $(tail -n 15 log)"; }

for compiler in gcc clang; do
    have $compiler || continue
    cxx=${compiler/gcc/g++}
    [[ $compiler == gcc ]] || cxx=clang++
    export HEDDLE_CC=$compiler HEDDLE_CXX=$cxx
    cp -r "$project" "make-$compiler"
    chmod -R u+w "make-$compiler"
    quietly make -C "make-$compiler" account_test
    built "make-$compiler" account_test
    if have "$cxx" && quietly make -C "make-$compiler" account_test_cxx; then
        built "make-$compiler" account_test_cxx
    fi
done
unset HEDDLE_CC HEDDLE_CXX

if have automake && have libtoolize && have c++; then
    cp -r "$project" autotools
    chmod -R u+w autotools
    rm autotools/Makefile
    (cd autotools && quietly autoreconf -fi && quietly ./configure -q && quietly make -s && runs_free make -s check)
    # A program in a libtool build tree is a script: libtool itself names the real one.
    one_line 2 'a script; name the program it starts \(libtool keeps it in .libs/\)' "$heddle" check autotools/account_test
    (cd autotools && status 1 ./libtool --mode=execute "$heddle" check ./account_test && has out ' 1 FAILING$')
    export LD_LIBRARY_PATH=$work/autotools/.libs
    built autotools/.libs account_test
    unset LD_LIBRARY_PATH
fi

if have cmake && have c++; then
    generators=("Unix Makefiles")
    ! have ninja || generators+=(Ninja)
    for generator in "${generators[@]}"; do
        folder=cmake-${generator%% *}
        quietly cmake -G "$generator" -S "$project" -B "$folder" -DCMAKE_BUILD_TYPE=RelWithDebInfo
        quietly cmake --build "$folder"
        (cd "$folder" && runs_free ctest)
        built "$folder" account_test
    done
    # As a variable of its own, and the objects in a response file.
    quietly cmake -S "$project" -B cmake-variable "-DCMAKE_C_COMPILER=$top_builddir/heddle" -DCMAKE_C_COMPILER_ARG1=cc \
        -DCMAKE_C_USE_RESPONSE_FILE_FOR_OBJECTS=1 -DCMAKE_C_RESPONSE_FILE_LINK_FLAG=@
    quietly cmake --build cmake-variable
    built cmake-variable account_test
fi

if have meson && have ninja && have c++; then
    quietly meson setup meson "$project"
    quietly meson compile -C meson
    runs_free meson test -C meson
    built meson account_test
fi

# What a compiler is asked besides: as the compiler itself answers.
unset CC CXX
for question in -dumpversion -dumpmachine -print-search-dirs -print-prog-name=ld -print-file-name=libc.so --version -v; do
    cc $question >expected 2>&1
    status 0 "$heddle" cc $question
    cat out err >answer
    same answer expected
done
echo 'int value; int main(void) { return value; }' >main.c
instrumented() {
    nm "$1" >names
    has names '__tsan_read4'
}
linked() {
    ldd "$1" >libraries
    has libraries libheddle
    hasnt libraries libtsan
}
"$heddle" cc -x c -o stdin - <main.c
instrumented stdin
linked stdin
"$heddle" cc -E -dM - </dev/null >macros
has macros '__STDC__'
"$heddle" cc -save-temps -c main.c
instrumented main.o
"$heddle" cc -o separate -I . -D X -include stddef.h -Xlinker --as-needed -L . main.c -l m
instrumented separate
linked separate
printf -- '-c -o "in a file.o" @nested' >response
echo "'main.c'" >nested
"$heddle" cc @response
instrumented 'in a file.o'
status 0 "$heddle" cc --heddle-show @response
hasnt out heddle.so
printf '"in a file.o"\n' >objects
"$heddle" cc -o from_response @objects
linked from_response
echo 'int x;' >one.h
"$heddle" cc one.h
[[ -s one.h.gch ]] || fail 'no precompiled header'
"$heddle" cc -M main.c >rule
has rule '^main\.o: main\.c'
cc -c -o object.o main.c
"$heddle" cc -o only_linked object.o
linked only_linked
if have clang; then
    HEDDLE_CC=clang "$heddle" cc -o dashes -- main.c
    linked dashes
fi
one_line 2 'a static program cannot be recorded; link it without -static' "$heddle" cc -static main.c
one_line 2 'a static program cannot be recorded' "$heddle" cc -static-pie -o main main.c
echo -static >static
one_line 2 'a static program cannot be recorded' "$heddle" cc main.c @static
status 0 "$heddle" cc -static -c main.c
one_line 2 'fsanitize=thread would link libtsan' "$heddle" cc -fsanitize=undefined,thread main.c
one_line 2 'ltsan would link libtsan' "$heddle" cc main.c -ltsan
status 1 "$heddle" cc none.c
