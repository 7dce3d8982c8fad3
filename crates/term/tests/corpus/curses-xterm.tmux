42 4

[37m[40m  [31mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
[39m  [31mx[1;7mwind[0m[32m[40mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
[39m  [31mx[39m    [32mx[1;7mwind[0m[33m[40mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
[39m  [31mxqqqq[32mx[39m    [33mx[1;7mwindow 2[0m[33m[40m      x             x
[39m  [31mx[39m    [32mxqqqqqqqqqqqqqqnqqqqqqqqqqqqqx
[39m  [31mx[39m    [32mx[39m              [32mx             x
[39m  [31mx[39m    [32mx[39m              [32mx             x
[39m  [31mmqqqq[32mx[39m              [32mx             x
[39m       [32mmqqqqqqqqqqqqqqqqqqqqqqqqqqqqj













38 9

[37m[40m  [31mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
[39m  [31mx[1;7mwind[0m[32m[40mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
[39m  [31mx[39m    [32mx[1;7mwind[0m[33m[40mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
[39m  [31mxqqqq[32mx[39m    [33mx[1;7mwind[0m[34m[40mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
[39m  [31mx[39m    [32mxqqqq[33mx[39m    [34mx[1;7mwind[0m[35m[40mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
[39m  [31mx[39m    [32mx[39m    [33mxqqqq[34mx[39m    [35mx[1;7mwindow 4[0m[35m[40m      x             x
[39m  [31mx[39m    [32mx[39m    [33mx[39m    [34mxqqqq[35mx[39m              [35mx             x
[39m  [31mmqqqq[32mx[39m    [33mx[39m    [34mx[39m    [35mxqqqqqqqqqqqqqqnqqqqqqqqqqqqqx
[39m       [32mmqqqq[33mx[39m    [34mx[39m    [35mx[39m              [35mx[34m        x
[39m            [33mmqqqq[34mx[39m              [34mx             x
[39m                 [34mmqqqqqqqqqqqqqqqqqqqqqqqqqqqqj











47 13

[37m[40m  [31mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
[39m  [31mx[1;7mwind[0m[32m[40mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
[39m  [31mx[39m    [32mx[1;7mwind[0m[33m[40mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
[39m  [31mxqqqq[32mx[39m    [33mx[1;7mwind[0m[34m[40mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
[39m  [31mx[39m    [32mxqqqq[33mx[39m    [34mx[1;7mwind[0m[35m[40mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
[39m  [31mx[39m    [32mx[39m    [33mxqqqq[34mx[39m    [35mx[1;7mwind[0m[36m[40mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
[39m  [31mx[39m    [32mx[39m    [33mx[39m    [34mxqqqq[35mx[39m    [36mx[1;7mwind[0m[37m[40mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
[39m  [31mmqqqq[32mx[39m    [33mx[39m    [34mx[39m    [35mxqqqq[36mx[39m    [37mx[1;7mwindow 6[0m[37m[40m      x             x
[39m       [32mmqqqq[33mx[39m    [34mx[39m    [35mx[39m    [36mxqqqq[37mx[39m              [37mx             x
[39m            [33mmqqqq[34mx[39m    [35mx[39m    [36mx[39m    [37mxqqqqqqqqqqqqqqnqqqqqqqqqqqqqx
[39m                 [34mmqqqq[35mx[39m    [36mx[39m    [37mx[39m              [37mx             x
[39m                      [35mmqqqq[36mx[39m    [37mx[39m              [37mx             x
[39m                           [36mmqqqq[37mx[39m              [36mqqqqqqqqqj









0 0























