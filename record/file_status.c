/* SPDX-License-Identifier: Apache-2.0
 * Small structures that are filled: pipe, socketpair, stat, posix_spawn. */
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/user_memory.h"

#define FILL(name, parameters, user, type, arguments)                                                \
    HD_EXPORT int name parameters                                                                    \
    {                                                                                                \
        struct hd_thread *t = hd_recorder();                                                         \
        type own, *place = (type *)user;                                                             \
        if (t && hd_user_mapped((uintptr_t)user, sizeof own))                                        \
            place = &own;                                                                            \
        int result = HD_REAL(name) arguments;                                                        \
        if (place == &own && result == 0)                                                            \
            hd_user_store(t, user, &own, sizeof own, HD_CALLER);                                     \
        return result;                                                                               \
    }
struct two { int fd[2]; };
FILL(pipe, (int fds[2]), fds, struct two, (place->fd))
FILL(pipe2, (int fds[2], int flags), fds, struct two, (place->fd, flags))
FILL(socketpair, (int domain, int type, int protocol, int fds[2]), fds, struct two, (domain, type, protocol, place->fd))
FILL(stat, (const char *path, struct stat *st), st, struct stat, (path, place))
FILL(lstat, (const char *path, struct stat *st), st, struct stat, (path, place))
FILL(fstat, (int fd, struct stat *st), st, struct stat, (fd, place))
FILL(fstatat, (int folder, const char *path, struct stat *st, int flags), st, struct stat, (folder, path, place, flags))

#define SPAWN(name)                                                                                  \
    FILL(name,                                                                                       \
         (pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,                 \
          const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]),              \
         child, pid_t, (place, path, actions, attributes, argv, envp))
SPAWN(posix_spawn)
SPAWN(posix_spawnp)
