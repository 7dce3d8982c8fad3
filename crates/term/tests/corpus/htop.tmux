16 2

  [36m  0[1m[39m[[34m||||||||||||||||||||[0m[32m[49m||||||10[31m0.0%[1m[39m][0m[39m[49m [36mTasks: [1m1[0m[36m[49m, [1m[32m0[0m[36m[49m thr[1m[90m, 0 kthr[0m[36m[49m; [1m[32m2[0m[36m[49m running
[39m  [36m  1[1m[39m[[34m||||||||||[0m[32m[49m||||||||||||||||10[31m0.0%[1m[39m][0m[39m[49m [36mLoad average: [1m[39m4.90 [36m10.56 [0m[36m[49m12.61
[39m  [36mMem[1m[39m[[0m[32m[49m|[1m[34m|[0m[35m[49m|[33m|||||||||||||||||||640M[1m[90m/23.5G[39m][0m[39m[49m [36mUptime: [1m01:56:10
[0m[39m[49m  [36mSwp[1m[39m[[0m[39m[49m                           [1m[90m0K/0K[39m]

[0m[39m[49m  [32m[42m[[30mMain[32m][39m[49m [34m[44m[[30mI/O[34m]
[30m[42m    PID USER       PRI  NI  VIRT   RES   SHR S [46m CPU%▽[42mMEM%   TIME+  Command
[39m[46m     [30m 1 root        20   0  5104  3932  3304 R   0.0  0.0  0:00.00 htop -d 3














[39m[49mF1[30m[46mHelp  [39m[49mF2[30m[46mSetup [39m[49mF3[30m[46mSearch[39m[49mF4[30m[46mFilter[39m[49mF5[30m[46mTree  [39m[49mF6[30m[46mSortBy[39m[49mF7[30m[46mNice -[39m[49mF8[30m[46mNice +[39m[49mF9[30m[46mKill  [39m[49mF10[30m[46mQuit10 12
[1m[36mhtop 3.2.2 - (C) 2004-2019 Hisham Muhammad. (C) 2020-2023 htop dev team.
Released under the GNU GPLv2+. See 'man' page for more info.

[0m[39m[49mCPU usage bar: [1m[[34mlow[0m[39m[49m/[32mnormal[39m/[31mkernel[39m/[36mguest[39m                  [1m[90mused%[39m]
[0m[39m[49mMemory bar:    [1m[[0m[32m[49mused[39m/[1m[34mbuffers[0m[39m[49m/[35mshared[39m/[33mcache[39m                     [1m[90mused[0m[39m[49m/[1m[90mtotal[39m]
[0m[39m[49mSwap bar:      [1m[[0m[31m[49mused[39m/[33mcache[39m                                    [1m[90mused[0m[39m[49m/[1m[90mtotal[39m]

[0m[39m[49mType and layout of header meters are configurable in the setup screen.

Process state: [32mR[39m: running; [1m[90mS[0m[39m[49m: sleeping; [32mt[39m: traced/stopped; [1m[31mZ[0m[39m[49m: zombie; [1m[31mD[0m[39m[49m: disk sl
eep
      [1m[36m #: [0m[39m[49mhide/show header meters[1m[36m          S-Tab: [0m[39m[49mswitch to previous screen tab
    [1m[36m Tab:










6 1

  [36m  0[1m[39m[





















0 0























