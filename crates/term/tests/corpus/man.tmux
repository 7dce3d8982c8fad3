2 23
            [1m[-b[0m[39m[49m [4mspace[0;1m[39m[49m][0m[39m[49m [1m[-h[0m[39m[49m [4mlines[0;1m[39m[49m][0m[39m[49m [1m[-j[0m[39m[49m [4mline[0;1m[39m[49m][0m[39m[49m [1m[-k[0m[39m[49m [4mkeyfile[0;1m[39m[49m]
[0m[39m[49m            [1m[-{oO}[0m[39m[49m [4mlogfile[0;1m[39m[49m][0m[39m[49m [1m[-p[0m[39m[49m [4mpattern[0;1m[39m[49m][0m[39m[49m [1m[-P[0m[39m[49m [4mprompt[0;1m[39m[49m][0m[39m[49m [1m[-t[0m[39m[49m [4mtag[0;1m[39m[49m]
[0m[39m[49m            [1m[-T[0m[39m[49m [4mtagsfile[0;1m[39m[49m][0m[39m[49m [1m[-x[0m[39m[49m [4mtab[0;1m[39m[49m,...][0m[39m[49m [1m[-y[0m[39m[49m [4mlines[0;1m[39m[49m][0m[39m[49m [1m[-[z][0m[39m[49m [4mlines[0;1m[39m[49m]
[0m[39m[49m            [1m[-#[0m[39m[49m [4mshift[0;1m[39m[49m][0m[39m[49m [1m[+[+][0;4m[39m[49mcmd[0;1m[39m[49m][0m[39m[49m [1m[--][0m[39m[49m [1m[[0;4m[39m[49mfilename[0;1m[39m[49m]...
[0m[39m[49m       (See  the  OPTIONS section for alternate option syntax with long option
       names.)

[1mDESCRIPTION
[0m[39m[49m       [4mLess[0m[39m[49m is a program similar to [4mmore[0m[39m[49m(1), but it has  many  more  features.
       [4mLess[0m[39m[49m  does  not  have to read the entire input file before starting, so
       with large input files it starts  up  faster  than  text  editors  like
       [4mvi[0m[39m[49m(1).   [4mLess[0m[39m[49m uses termcap (or terminfo on some systems), so it can run
       on a variety of terminals.  There is even limited support for  hardcopy
       terminals.   (On  a hardcopy terminal, lines which should be printed at
       the top of the screen are prefixed with a caret.)

       Commands are based on both [4mmore[0m[39m[49m and [4mvi[0m[39m[49m.  Commands may be preceded by  a
       decimal number, called N in the descriptions below.  The number is used
       by some commands, as indicated.

[1mCOMMANDS
[0m[39m[49m       In the following descriptions, ^X means control-X.  ESC stands for  the
       ESCAPE  key;  for  example  ESC-v means the two character sequence "ES‐
71 1
       on a variety of terminals.  There is even limited support for  hardcopy
       terminals.   (On  a hardcopy terminal, lines which should be printed at
       the top of the screen are prefixed with a caret.)

       Commands are based on both [4mmore[0m[39m[49m and [4mvi[0m[39m[49m.  Commands may be preceded by  a
       decimal number, called N in the descriptions below.  The number is used
       by some commands, as indicated.

[1mCOMMANDS
[0m[39m[49m       In the following descriptions, ^X means control-X.  ESC stands for  the
       ESCAPE  key;  for  example  ESC-v means the two character sequence "ES‐
       CAPE", then "v".

       h or H Help: display a summary of these commands.  If  you  forget  all
              the other commands, remember this one.

       SPACE or ^V or f or ^F
              Scroll  forward  N  lines, default one window (see option -z be‐
              low).  If N is more than the screen size, only the final screen‐
              ful  is  displayed.   Warning:  some systems use ^V as a special
              literalization character.

       z      Like SPACE, but if N is specified, it  becomes  the  new  window
8 23

       z      Like SPACE, but if N is specified, it  becomes  the  new  window
              size.

       ESC-SPACE
              Like  SPACE,  but  scrolls  a full screenful, even if it reaches
              end-of-file in the process.

       ENTER or RETURN or ^N or e or ^E or j or ^J
              Scroll forward N lines, default 1.  The entire N lines are  dis‐
              played, even if N is more than the screen size.

       d or ^D
              Scroll forward N lines, default one half of the screen size.  If
              N is specified, it becomes the new default for subsequent d  and
              u commands.

       b or ^B or ESC-v
              Scroll  backward  N lines, default one window (see [7moption[0m[39m[49m -z be‐
              low).  If N is more than the screen size, only the final screen‐
              ful is displayed.

       w      Like  ESC-v,  but  if  N is specified, it becomes the new window
0 0























