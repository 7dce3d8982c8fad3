59 22
* [33mcommit a81707f0a5485251a2460a9c457096682b4dd84d ([1m[36mHEAD[0m[33m[49m -> [1m[32mb12[0m[33m[49m)
[31m|[39m Author: A <a@example.org>
[31m|[39m Date:   Tue Jan 2 00:00:00 2024 +0000
[31m|[39m
[31m|[39m     side
[31m|[39m
[31m|[39m  y | 1 [32m+
[31m|[39m  1 file changed, 1 insertion(+)
[31m|[39m
[31m|[39m * [33mcommit ee738d82e19df9d92a07ca9890c35d9e7aa41bb1 ([1m[32mb24[0m[33m[49m)
[31m|[39m [32m|[39m Author: A <a@example.org>
[31m|[39m [32m|[39m Date:   Tue Jan 2 00:00:00 2024 +0000
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m     change 25: something long enough to be read by people
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m  f25 | 1 [32m+
[31m|[39m [32m|[39m  1 file changed, 1 insertion(+)
[31m|[39m [32m|[39m
[31m|[39m * [33mcommit dab7c2b596fb9e0a27975fc2399126b9465f6014 ([1m[32mb18[0m[33m[49m)
[31m|[39m [32m|[39m Author: A <a@example.org>
[31m|[39m [32m|[39m Date:   Tue Jan 2 00:00:00 2024 +0000
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m     change 24: something long enough to be read by peop
15 23
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m  f24 | 1 [32m+
[31m|[39m [32m|[39m  1 file changed, 1 insertion(+)
[31m|[39m [32m|[39m
[31m|[39m * [33mcommit c6671fbe881bee3404656ca9f01014c3c7ad9195
[31m|[39m [32m|[39m Author: A <a@example.org>
[31m|[39m [32m|[39m Date:   Tue Jan 2 00:00:00 2024 +0000
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m     change 23: something long enough to be read by people
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m  f23 | 1 [32m+
[31m|[39m [32m|[39m  1 file changed, 1 insertion(+)
[31m|[39m [32m|[39m
[31m|[39m * [33mcommit d0335e18c57016225445db1a228b4a4450a1afa1
[31m|[39m [32m|[39m Author: A <a@example.org>
[31m|[39m [32m|[39m Date:   Tue Jan 2 00:00:00 2024 +0000
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m     change 22: something long enough to be read by people
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m  f22 | 1 [32m+
[31m|[39m [32m|[39m  1 file changed, 1 insertion(+)
[31m|[39m [32m|[39m
[31m|[39m * [33mcommit 0c75deb950f11debfddadf2e814534721cb1f44e
[31m|[39m [32m|[39m Author: A <0 0

[31m|[39m * [33mcommit 0c75deb950f11debfddadf2e814534721cb1f44e
[31m|[39m [32m|[39m Author: A <a@example.org>
[31m|[39m [32m|[39m Date:   Tue Jan 2 00:00:00 2024 +0000
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m     change 21: something long enough to be read by people
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m  f21 | 1 [32m+
[31m|[39m [32m|[39m  1 file changed, 1 insertion(+)
[31m|[39m [32m|[39m
[31m|[39m * [33mcommit c46d4d460f8f0faed2aae1d5ca6ac780b387324f
[31m|[39m [32m|[39m Author: A <a@example.org>
[31m|[39m [32m|[39m Date:   Tue Jan 2 00:00:00 2024 +0000
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m     change 20: something long enough to be read by people
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m  f20 | 1 [32m+
[31m|[39m [32m|[39m  1 file changed, 1 insertion(+)
[31m|[39m [32m|[39m
[31m|[39m * [33mcommit fc6a59911a6c8d91021fa3b986a09b1bd308f5a6
[31m|/[39m  Author: A <a@example.org>
[31m|[39m   Date:   Tue Jan 2 00:00:00 2024 +0000
[31m|[39m
[31m|[39m       change 19: something long enough to be read by people0 23
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m  f24 | 1 [32m+
[31m|[39m [32m|[39m  1 file changed, 1 insertion(+)
[31m|[39m [32m|[39m
[31m|[39m * [33mcommit c6671fbe881bee3404656ca9f01014c3c7ad9195
[31m|[39m [32m|[39m Author: A <a@example.org>
[31m|[39m [32m|[39m Date:   Tue Jan 2 00:00:00 2024 +0000
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m     change 23: something long enough to be read by people
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m  f23 | 1 [32m+
[31m|[39m [32m|[39m  1 file changed, 1 insertion(+)
[31m|[39m [32m|[39m
[31m|[39m * [33mcommit d0335e18c57016225445db1a228b4a4450a1afa1
[31m|[39m [32m|[39m Author: A <a@example.org>
[31m|[39m [32m|[39m Date:   Tue Jan 2 00:00:00 2024 +0000
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m     change 22: something long enough to be read by people
[31m|[39m [32m|[39m
[31m|[39m [32m|[39m  f22 | 1 [32m+
[31m|[39m [32m|[39m  1 file changed, 1 insertion(+)
[31m|[39m [32m|[39m
[31m|[39m * [33mcommit 0c75deb950f11debfddadf2e814534721cb1f44e
