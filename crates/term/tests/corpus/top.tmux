8 3
top - 17:22:44 up  1:56,  0 user,  load average: 4.90, 10.56, 12.61
Tasks:[1m   1 [0m[39m[49mtotal,[1m   1 [0m[39m[49mrunning,[1m   0 [0m[39m[49msleeping,[1m   0 [0m[39m[49mstopped,[1m   0 [0m[39m[49mzombie
%Cpu0  :[1m  0.0 [0m[39m[49mus,[1m  0.0 [0m[39m[49msy,[1m  0.0 [0m[39m[49mni,[1m100.0 [0m[39m[49mid,[1m  0.0 [0m[39m[49mwa,[1m  0.0 [0m[39m[49mhi,[1m  0.0 [0m[39m[49msi,[1m  0.0 [0m[39m[49mst
%Cpu1  :[1m 61.9 [0m[39m[49mus,[1m  9.5 [0m[39m[49msy,[1m 28.6 [0m[39m[49mni,[1m  0.0 [0m[39m[49mid,[1m  0.0 [0m[39m[49mwa,[1m  0.0 [0m[39m[49mhi,[1m  0.0 [0m[39m[49msi,[1m  0.0 [0m[39m[49mst
MiB Mem :[1m  24105.6 [0m[39m[49mtotal,[1m   6547.0 [0m[39m[49mfree,[1m   1072.6 [0m[39m[49mused,[1m  16886.5 [0m[39m[49mbuff/cache
MiB Swap:[1m      0.0 [0m[39m[49mtotal,[1m      0.0 [0m[39m[49mfree,[1m      0.0 [0m[39m[49mused.[1m  23033.0 [0m[39m[49mavail Mem

[7m    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
[0;1m[39m[49m      1 root      20   0    9060   5260   3140 R   0.0   0.0   0:00.00 top














50 2
top - 17:22:45 up  1:56,  0 user,  load average: 4.90, 10.56, 12.61
[31mTasks:[1m[39m   1 [0m[31m[49mtotal,[1m[39m   1 [0m[31m[49mrunning,[1m[39m   0 [0m[31m[49msleeping,[1m[39m   0 [0m[31m[49mstopped,[1m[39m   0 [0m[31m[49mzombie
%Cpu0  :[1m[39m  0.0 [0m[31m[49mus,[1m[39m  0.0 [0m[31m[49msy,[1m[39m  0.0 [0m[31m[49mni,[1m[39m100.0 [0m[31m[49mid,[1m[39m  0.0 [0m[31m[49mwa,[1m[39m  0.0 [0m[31m[49mhi,[1m[39m  0.0 [0m[31m[49msi,[1m[39m  0.0 [0m[31m[49mst[39m
[31m%Cpu1  :[1m[39m 19.4 [0m[31m[49mus,[1m[39m 25.8 [0m[31m[49msy,[1m[39m 51.6 [0m[31m[49mni,[1m[39m  0.0 [0m[31m[49mid,[1m[39m  0.0 [0m[31m[49mwa,[1m[39m  0.0 [0m[31m[49mhi,[1m[39m  3.2 [0m[31m[49msi,[1m[39m  0.0 [0m[31m[49mst[39m
[31mMiB Mem :[1m[39m  24105.6 [0m[31m[49mtotal,[1m[39m   6538.6 [0m[31m[49mfree,[1m[39m   1072.8 [0m[31m[49mused,[1m[39m  16894.7 [0m[31m[49mbuff/cache[39m
[31mMiB Swap:[1m[39m      0.0 [0m[31m[49mtotal,[1m[39m      0.0 [0m[31m[49mfree,[1m[39m      0.0 [0m[31m[49mused.[1m[39m  23032.7 [0m[31m[49mavail Mem

[7m[33m    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
[0;1m[31m[49m      1 root      20   0    9060   5260   3140 R   0.0   0.0   0:00.00 top














37 4
top - 17:22:46 up  1:56,  0 user,  load average: 4.90, 10.56, 12.61
[31mTasks:[1m[39m   1 [0m[31m[49mtotal,[1m[39m   1 [0m[31m[49mrunning,[1m[39m   0 [0m[31m[49msleeping,[1m[39m   0 [0m[31m[49mstopped,[1m[39m   0 [0m[31m[49mzombie
%Cpu0  :[1m[39m100.0 [0m[31m[49mus,[1m[39m  0.0 [0m[31m[49msy,[1m[39m  0.0 [0m[31m[49mni,[1m[39m  0.0 [0m[31m[49mid,[1m[39m  0.0 [0m[31m[49mwa,[1m[39m  0.0 [0m[31m[49mhi,[1m[39m  0.0 [0m[31m[49msi,[1m[39m  0.0 [0m[31m[49mst[39m
[31m%Cpu1  :[1m[39m  0.0 [0m[31m[49mus,[1m[39m  0.0 [0m[31m[49msy,[1m[39m100.0 [0m[31m[49mni,[1m[39m  0.0 [0m[31m[49mid,[1m[39m  0.0 [0m[31m[49mwa,[1m[39m  0.0 [0m[31m[49mhi,[1m[39m  0.0 [0m[31m[49msi,[1m[39m  0.0 [0m[31m[49mst[39m
[31mMiB Mem :[1m[39m  24105.6 [0m[31m[49mtotal,[1m[39m   6537.5 [0m[31m[49mfree,[1m[39m   1072.8 [0m[31m[49mused,[1m[39m  16894.7 [0m[31m[49mbuff/cache[39m
[31mMiB Swap:[1m[39m      0.0 [0m[31m[49mtotal,[1m[39m      0.0 [0m[31m[49mfree,[1m[39m      0.0 [0m[31m[49mused.[1m[39m  23032.7 [0m[31m[49mavail Mem

[7m[33m    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
[0;1m[31m[49m      1 root      20   0    9060   5260   3140 R   0.0   0.0   0:00.00 top














0 23
[31mTasks:[1m[39m   1 [0m[31m[49mtotal,[1m[39m   1 [0m[31m[49mrunning,[1m[39m   0 [0m[31m[49msleeping,[1m[39m   0 [0m[31m[49mstopped,[1m[39m   0 [0m[31m[49mzombie
%Cpu0  :[1m[39m 40.0 [0m[31m[49mus,[1m[39m 23.3 [0m[31m[49msy,[1m[39m 36.7 [0m[31m[49mni,[1m[39m  0.0 [0m[31m[49mid,[1m[39m  0.0 [0m[31m[49mwa,[1m[39m  0.0 [0m[31m[49mhi,[1m[39m  0.0 [0m[31m[49msi,[1m[39m  0.0 [0m[31m[49mst[39m
[31m%Cpu1  :[1m[39m 80.0 [0m[31m[49mus,[1m[39m 10.0 [0m[31m[49msy,[1m[39m 10.0 [0m[31m[49mni,[1m[39m  0.0 [0m[31m[49mid,[1m[39m  0.0 [0m[31m[49mwa,[1m[39m  0.0 [0m[31m[49mhi,[1m[39m  0.0 [0m[31m[49msi,[1m[39m  0.0 [0m[31m[49mst[39m
[31mMiB Mem :[1m[39m  24105.6 [0m[31m[49mtotal,[1m[39m   6537.5 [0m[31m[49mfree,[1m[39m   1074.9 [0m[31m[49mused,[1m[39m  16893.6 [0m[31m[49mbuff/cache[39m
[31mMiB Swap:[1m[39m      0.0 [0m[31m[49mtotal,[1m[39m      0.0 [0m[31m[49mfree,[1m[39m      0.0 [0m[31m[49mused.[1m[39m  23030.7 [0m[31m[49mavail Mem

[7m[33m    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
[0;1m[31m[49m      1 root      20   0    9060   5260   3140 R   0.0   0.0   0:00.00 top















