0 7

  lqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
  x[1;7mwind[0m[39m[49mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
  x    x[1;7mwind[0m[39m[49mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
  xqqqqx    x[1;7mwindow 2[0m[39m[49m      x             x
  x    xqqqqx              x             x
  x    x    xqqqqqqqqqqqqqqnqqqqqqqqqqqqqx
  x    x              x             x
  mqqqqx              x             x
       mqqqqqqqqqqqqqqqqqqqqqqqqqqqqj













32 10

  lqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
  x[1;7mwind[0m[39m[49mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
  x    x[1;7mwind[0m[39m[49mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
  xqqqqx    x[1;7mwind[0m[39m[49mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
  x    xqqqqx    x[1;7mwind[0m[39m[49mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
  x    x    xqqqqx    x[1;7mwindow 4[0m[39m[49m      x             x
  x    x    x    xqqqqx              x             x
  mqqqqx    x    x    xqqqqqqqqqqqqqqnqqqqqqqqqqqqqx
       mqqqqx    x    x              x             x
            mqqqqx    x         x             x
                 mqqqqqqqqqqqqqqqqqqqqqqqqqqqqj











61 13

  lqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
  x[1;7mwind[0m[39m[49mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
  x    x[1;7mwind[0m[39m[49mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
  xqqqqx    x[1;7mwind[0m[39m[49mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
  x    xqqqqx    x[1;7mwind[0m[39m[49mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
  x    x    xqqqqx    x[1;7mwind[0m[39m[49mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
  x    x    x    xqqqqx    x[1;7mwind[0m[39m[49mlqqqqqqqqqqqqqqqqqqqqqqqqqqqqk
  mqqqqx    x    x    xqqqqx    x[1;7mwindow 6[0m[39m[49m      x             x
       mqqqqx    x    x    xqqqqx              x             x
            mqqqqx    x    x    xqqqqqqqqqqqqqqnqqqqqqqqqqqqqx
                 mqqqqx    x    x              x             x
                      mqqqqx    x              x             x
                           mqqqqx              x









0 23
x0[4miserted 5[0m[39m[49m
[4mi[0m[39m[49mx1[4mnserted 4
in[0m[39m[49mx[4mserted 3[0m[39m[49m
   x3
   x4
     x5
     x6
       x7
       x8
         x9
         x10
           x11
           x12
             x13
             x14
               x15
               x16
                 x17
                 x18
                   x19
                    x20
                     x21
                      x22
