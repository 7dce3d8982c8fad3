39 23
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text number 19 with words plain text number 19 with words plain text numbe
r 19 with words plain text number 19 with words plain text number 19 with words
plain text number 20 with words
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text number 22 with words plain text number 22 with words plain text numbe
r 22 with words
plain text number 23 with words plain text number 23 with words plain text numbe
r 23 with words plain text number 23 with words
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text number 25 with words
plain text number 26 with words plain text number 26 with words
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text number 28 with words plain text number 28 with words plain text numbe
r 28 with words plain text number 28 with words
plain text number 29 with words plain t22 22
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
plain text number 20 with words
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
0 23
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text [7mnumber[0m[39m[49m 70 with words
plain text [7mnumber[0m[39m[49m 71 with words plain text [7mnumber[0m[39m[49m 71 with words
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text [7mnumber[0m[39m[49m 73 with words plain text [7mnumber[0m[39m[49m 73 with words plain text [7mnumbe
r[0m[39m[49m 73 with words plain text [7mnumber[0m[39m[49m 73 with words
plain text [7mnumber[0m[39m[49m 74 with words plain text [7mnumber[0m[39m[49m 74 with words plain text [7mnumbe
r[0m[39m[49m 74 with words plain text [7mnumber[0m[39m[49m 74 with words plain text [7mnumber[0m[39m[49m 74 with words
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text [7mnumber[0m[39m[49m 76 with words plain text [7mnumber[0m[39m[49m 76 with words
plain text [7mnumber[0m[39m[49m 77 with words plain text [7mnumber[0m[39m[49m 77 with words plain text [7mnumbe
r[0m[39m[49m 77 with words
日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本
語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テキスト 日本語テ
キスト 日本語テキスト
plain text [7mnumber[0m[39m[49m 79 with words plain text [7mnumber[0m[39m[49m 79 with words plain text [7mnumbe
r[0m[39m[49m 79 with words plain text [7mnumber[0m[39m[49m 79 with words plain text [7mnumber[0m[39m[49m 79 with words
0 0























