34 3
total 32
drwxr-xr-x 3 root root 4096 2026  [1m[34m.
[0m[39m[49mdrwxr-xr-x 5 root root 4096 2026  [1m[34m..
[0m[39m[49m-rw-r--r-- 1 root root   37 2026



















34 5
total 32
drwxr-xr-x 3 root root 4096 2026  [1m[34m.
[0m[39m[49mdrwxr-xr-x 5 root root 4096 2026  [1m[34m..
[0m[39m[49m-rw-r--r-- 1 root root   37 2026  Cargo.toml
-rw-r--r-- 1 root root   37 2026 'a file with spaces.txt'
-rw-r--r-- 1 root root   37 2026

















34 7
total 32
drwxr-xr-x 3 root root 4096 2026  [1m[34m.
[0m[39m[49mdrwxr-xr-x 5 root root 4096 2026  [1m[34m..
[0m[39m[49m-rw-r--r-- 1 root root   37 2026  Cargo.toml
-rw-r--r-- 1 root root   37 2026 'a file with spaces.txt'
-rw-r--r-- 1 root root   37 2026  archive.tar.gz
lrwxrwxrwx 1 root root    6 2026  [1m[36mlink[0m[39m[49m -> run.sh
-rwxr-xr-x 1 root root   37 2026















0 10
total 32
drwxr-xr-x 3 root root 4096 2026  [1m[34m.
[0m[39m[49mdrwxr-xr-x 5 root root 4096 2026  [1m[34m..
[0m[39m[49m-rw-r--r-- 1 root root   37 2026  Cargo.toml
-rw-r--r-- 1 root root   37 2026 'a file with spaces.txt'
-rw-r--r-- 1 root root   37 2026  archive.tar.gz
lrwxrwxrwx 1 root root    6 2026  [1m[36mlink[0m[39m[49m -> run.sh
-rwxr-xr-x 1 root root   37 2026  [1m[32mrun.sh
[0m[39m[49mdrwxr-xr-x 2 root root 4096 2026  [1m[34msrc
[0m[39m[49m-rw-r--r-- 1 root root   37 2026  漢字.md













