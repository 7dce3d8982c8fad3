34 23
48
49
50
51
52
53
54
55
56
57
58
59
60
$ cat wide.txt | head -20
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text number 1 with words plain text number 1 with words
plain text number 2 with words plain text number 2 with words plain text number
2 with words
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text number 4 with words pla66 23
キスト 日本語テキスト
plain text number 1 with words plain text number 1 with words
plain text number 2 with words plain text number 2 with words plain text number
2 with words
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text number 4 with words plain text number 4 with words plain text number
4 with words plain text number 4 with words plain text number 4 with words
plain text number 5 with words
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text number 7 with words plain text number 7 with words plain text number
7 with words
plain text number 8 with words plain text number 8 with words plain text number
8 with words plain text number 8 with words
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text number 10 with words
plain text number 11 with words plain text number 11 with words
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキ15 23
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text number 10 with words
plain text number 11 with words plain text number 11 with words
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text number 13 with words plain text number 13 with words plain text numbe
r 13 with words plain text number 13 with words
plain text number 14 with words plain text number 14 with words plain text numbe
r 14 with words plain text number 14 with words plain text number 14 with words
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text number 16 with words plain text number 16 with words
plain text number 17 with words plain text number 17 with words plain text numbe
r 17 with words
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text number 19 with words plain text number 19 with words plain text numbe
r 19 with words plain text number 19 with words plain text number 19 with words
$ for i in 1 20 6
$ history | tail -3
    7  printf '%s' "$(seq -s, 1 200)"
    8  clear
    9  history | tail -3
$ exit
exit

















