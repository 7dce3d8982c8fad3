2 10
Reading package lists... Done
Building dependency tree... Done
Reading state information... Done
Suggested packages:
  hunspell
The following NEW packages will be installed:
  nano
0 upgraded, 1 newly installed, 0 to remove and 137 not upgraded.
Inst nano (7.2-1+deb12u1 Debian:12.15/oldstable [amd64])
Conf nano (7.2-1+deb12u1 Debian:12.15/oldstable [amd64])
Reading package lists... 0%












15 17
Reading package lists... Done
Building dependency tree... Done
Reading state information... Done
Suggested packages:
  hunspell
The following NEW packages will be installed:
  nano
0 upgraded, 1 newly installed, 0 to remove and 137 not upgraded.
Inst nano (7.2-1+deb12u1 Debian:12.15/oldstable [amd64])
Conf nano (7.2-1+deb12u1 Debian:12.15/oldstable [amd64])
Reading package lists... Done
Building dependency tree... Done
Reading state information... Done
0 upgraded, 0 newly installed, 1 reinstalled, 0 to remove and 137 not upgraded.
Need to get 12.8 kB of archives.
After this operation, 0 B of additional disk space will be used.
Get:1 http://deb.debian.org/debian bookworm/main amd64 netbase all 6.4 [12.8 kB]
[33m                B/12.8 kB 0%]





49 23
Reading package lists... Done
Building dependency tree... Done
Reading state information... Done
Suggested packages:
  hunspell
The following NEW packages will be installed:
  nano
0 upgraded, 1 newly installed, 0 to remove and 137 not upgraded.
Inst nano (7.2-1+deb12u1 Debian:12.15/oldstable [amd64])
Conf nano (7.2-1+deb12u1 Debian:12.15/oldstable [amd64])
Reading package lists... Done
Building dependency tree... Done
Reading state information... Done
0 upgraded, 0 newly installed, 1 reinstalled, 0 to remove and 137 not upgraded.
Need to get 12.8 kB of archives.
After this operation, 0 B of additional disk space will be used.
Get:1 http://deb.debian.org/debian bookworm/main amd64 netbase all 6.4 [12.8 kB]
Fetched 12.8 kB in 0s (268 kB/s)
(Reading database ... 114688 files and directories currently installed.)
Preparing to unpack .../archives/netbase_6.4_all.deb ...



[30m[42mProgress: [ 20%][39m[49m [###########...............................................]0 23
Reading state information... Done
0 upgraded, 0 newly installed, 1 reinstalled, 0 to remove and 137 not upgraded.
Need to get 12.8 kB of archives.
After this operation, 0 B of additional disk space will be used.
Get:1 http://deb.debian.org/debian bookworm/main amd64 netbase all 6.4 [12.8 kB]
Fetched 12.8 kB in 0s (268 kB/s)
(Reading database ... 114688 files and directories currently installed.)
Preparing to unpack .../archives/netbase_6.4_all.deb ...
Unpacking netbase (6.4) over (6.4) ...
Setting up netbase (6.4) ...
Package: tmux
Version: 3.3a-3
Installed-Size: 1106
Maintainer: Romain Francoise <rfrancoise@debian.org>
Architecture: amd64
Depends: libc6 (>= 2.34), libevent-core-2.1-7 (>= 2.1.8-stable), libtinfo6 (>= 6
), libutempter0 (>= 1.1.5)
Description: terminal multiplexer
Description-md5: dc6ff920cb9183a42694d0ea54835078
Homepage: https://tmux.github.io/
Tag: hardware::input:keyboard, implemented-in::c, interface::text-mode,
 role::program, scope::application, works-with::software:running
Section: admin
