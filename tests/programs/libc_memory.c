/* SPDX-License-Identifier: Apache-2.0
 * Each function has targets of its own name; what is printed is the same with and
 * without heddle, and what was touched is in the trace. "ab" is 25185 as a value. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

#define WORD __attribute__((aligned(8)))
#define TARGET(name) char name[24] WORD

WORD char text[8] = "ab", upper[8] = "AB", other[8] = "ac", list[16] = "ab,ab;ab", digits[8] = "42 7";
TARGET(t_memcpy);
TARGET(t_memmove) = "ab";
TARGET(t_memset);
TARGET(t_bzero) = "xyz";
TARGET(t_bcopy);
TARGET(t_mempcpy);
TARGET(t_strcpy);
TARGET(t_stpcpy);
TARGET(t_strncpy) = "........";
TARGET(t_strcat) = "x";
TARGET(t_strncat) = "x";
TARGET(t_sprintf);
TARGET(t_snprintf);
TARGET(t_stpncpy);
TARGET(t_vsnprintf);
WORD int t_sort[5] = { 4, 2, 5, 1, 3 };
int t_number;
long t_value;
char *t_end, *t_rest, *t_part, *t_asprintf;
char *t_strdup, *t_strndup, *t_realloc;

static int sign(int n) { return (n > 0) - (n < 0); }

static void copies(void)
{
    memcpy(t_memcpy, text, 3);
    memmove(t_memmove + 1, t_memmove, 3);
    memset(t_memset, 1, 4);
    bzero(t_bzero, 3);
    bcopy(text, t_bcopy, 3);
    char *end = mempcpy(t_mempcpy, text, 2);
    printf("%s %s %d %d %s %d\n", t_memcpy, t_memmove, t_memset[3], t_bzero[2], t_bcopy, (int)(end - t_mempcpy));
}

static void compares(void)
{
    printf("%d %d %d %d %d\n", sign(memcmp(text, other, 3)), sign(strcmp(text, other)), sign(strncmp(text, other, 1)),
           sign(strcasecmp(text, upper)), sign(strncasecmp(other, upper, 2)));
    printf("%zu %zu %d %d\n", strlen(text), strnlen(text, 1), memchr(text, 'b', 3) == text + 1,
           memchr(text, 'z', 3) == NULL);
}

static void strings(void)
{
    strcpy(t_strcpy, text);
    char *end = stpcpy(t_stpcpy, text);
    strncpy(t_strncpy, text, 6);
    strcat(t_strcat, text);
    strncat(t_strncat, text, 1);
    t_strdup = strdup(text);
    t_strndup = strndup(text, 1);
    printf("%s %d %s %s %s %s %s\n", t_strcpy, (int)(end - t_stpcpy), t_strncpy, t_strcat, t_strncat, t_strdup,
           t_strndup);
    free(t_strdup);
    free(t_strndup);
}

static void searches(void)
{
    printf("%d %d %d %d %zu %zu %d\n", (int)(strchr(list, ',') - list), (int)(strrchr(list, 'a') - list),
           strchr(list, 'z') == NULL, (int)(strstr(list, "b;") - list), strspn(list, "ab"), strcspn(list, ";"),
           (int)(strpbrk(list, ";,") - list));
    for (char *s = list, *part; (part = strtok_r(s, ",", &t_rest)) != NULL; s = NULL)
        printf("[%s]", part);
    t_part = list + 3;
    printf("<%s>", strsep(&t_part, ";"));
    printf("<%s>\n", t_part);
}

static void formats(void)
{
    int n = sprintf(t_sprintf, "%s", text), cut = snprintf(t_snprintf, 3, "%sxyz", text);
    char large[5000];
    int length = snprintf(large, sizeof large, "%4000d", 7);
    printf("%d %s %d %s %d %c\n", n, t_sprintf, cut, t_snprintf, length, large[3999]);
    n = asprintf(&t_asprintf, "%s!", text);
    printf("%d %s\n", n, t_asprintf);
    free(t_asprintf);
}

static void numbers(void)
{
    char word[8] = "";
    t_value = strtol(digits, &t_end, 10);
    int done = sscanf(digits, "%d", &t_number), both = sscanf("word 9", "%7s %*d", word);
    printf("%ld %d %d %d %d %s %d\n", t_value, (int)(t_end - digits), done, t_number, both, word, atoi(digits));
}

static int by_value(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int by_data(const void *a, const void *b, void *data)
{
    return *(int *)data * by_value(a, b);
}

static int print(char *to, size_t size, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(to, size, format, ap);
    va_end(ap);
    return n;
}

/* Odd alignments, sizes and overlaps against a copy made byte by byte. */
static void alignments(void)
{
    static char one[700], two[700];
    unsigned wrong = 0;
    for (unsigned from = 0; from < 20; from += 5)
        for (unsigned to = 0; to < 20; to += 3)
            for (unsigned size = 0; size < 600; size += 167) {
                for (unsigned i = 0; i < sizeof one; i++)
                    one[i] = two[i] = (char)(i * 7);
                memmove(one + to, one + from, size);
                for (unsigned i = 0; i < size; i++)
                    two[to + i] = (char)((from + i) * 7);
                wrong += memcmp(one, two, sizeof one) != 0;
            }
    printf("%u\n", wrong);
}

static void rarer(void)
{
    static char words[] = "one two";
    char *end;
    int minus = -1;
    printf("%d %d %d %d\n", (int)((char *)memrchr(list, 'a', 2) - list), memmem(list, 3, "b", 1) == list + 1,
           (int)((char *)rawmemchr(list, 'b') - list), *strchrnul(list, 'z'));
    char *first = strtok(words, " "), *second = strtok(NULL, " ");
    printf("%d %d %s %s\n", strcasestr(list, "B") == list + 1, (int)(stpncpy(t_stpncpy, text, 5) - t_stpncpy), first,
           second);
    double number = strtod("2.5x", &end);
    int n = print(t_vsnprintf, 9, "%d", 42);
    printf("%d %s %g %lu %d\n", n, t_vsnprintf, number, strtoul("zz", NULL, 36), *end);
    printf("%ld %g %d %d\n", atol("-12"), atof("0.5"), bcmp(text, other, 2) != 0, strncmp(text, other, 0));
    qsort_r(t_sort, 5, sizeof *t_sort, by_data, &minus);
    printf("%d%d %d\n", t_sort[0], t_sort[4], strtol("8", &end, 99) == 0);
    char *array = reallocarray(NULL, 3, 4);
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[0] = 1;
    madvise(page, 4096, MADV_DONTNEED);
    printf("%d %d\n", array != NULL, page[0]);
    page[0] = 2;
    page = mremap(page, 8192, 1 << 20, MREMAP_MAYMOVE);
    int kept = page[0];
    printf("%d %d\n", kept, munmap(page, 1 << 20));
    free(array);
}

static void blocks(void)
{
    t_realloc = calloc(1, 16);
    strcpy(t_realloc, text);
    t_realloc = realloc(t_realloc, 100000);
    printf("%s\n", t_realloc);
    free(t_realloc);
    long *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[0] = 5;
    munmap(page, 4096);
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("%ld\n", page[0]);
    qsort(t_sort, 5, sizeof *t_sort, by_value);
    printf("%d%d%d%d%d\n", t_sort[0], t_sort[1], t_sort[2], t_sort[3], t_sort[4]);
}

int main(void)
{
    copies();
    compares();
    strings();
    searches();
    formats();
    numbers();
    blocks();
    alignments();
    rarer();
    return 3;
}
