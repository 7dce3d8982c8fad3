73 23
[7m  GNU nano 7.2                       sample.rs




















[0m[39m[49m                               [7m[ Read 599 lines ]
^G[0m[39m[49m Help      [7m^O[0m[39m[49m Write Out [7m^W[0m[39m[49m Where Is  [7m^K[0m[39m[49m Cut       [7m^T[0m[39m[49m Execute   [7m^C[0m[39m[49m Location
[7m^X[0m[39m[49m Exit      [7m^R[0m[39m[49m Read File [7m^\[0m[39m[49m Replace   [7m^U[0m[39m[49m Paste     [7m^J[0m[39m[49m Justify   [7m^/[0m[39m[49m Go To18 14
[7m  GNU nano 7.2                       sample.rs
[0m[39m[49m}

fn item_4(x: u32) -> u32 {
    // line 4 漢字 é ü
    x * 4 + 4
}

fn item_5(x: u32) -> u32 {
    // line 5 漢字 é ü
    x * 5 + 5
}

fn item_6(x: u32) -> u32 {
    // line 6 漢字

fn item_3(x: u32) -> u32 {
    // line 3 漢字 é ü
    x * 3 + 3
}

                               [7m[ Read 599 lines ]
^G[0m[39m[49m Help      [7m^O[0m[39m[49m Write Out [7m^W[0m[39m[49m Where Is  [7m^K[0m[39m[49m Cut       [7m^T[0m[39m[49m Execute   [7m^C[0m[39m[49m Location
[7m^X[0m[39m[49m Exit      [7m^R[0m[39m[49m Read File [7m^\[0m[39m[49m Replace   [7m^U[0m[39m[49m Paste     [7m^J[0m[39m[49m Justify   [7m^/[0m[39m[49m Go To Line71 22
[7m  GNU nano 7.2                       sample.rs                        Modified
[0m[39m[49mhello}

fn item_4(x: u32) -> u32 {
    // line 4 漢字 é ü
    x * 4 + 4
}

fn item_5(x: u32) -> u32 {
    // line 5 漢字 é ü
    x * 5 + 5
}

fn item_6(x: u32) -> u32 {
    // line 6 漢字 é ü
    x * 6 + 6
}

fn item_7(x: u32) -> u32 {
    // line 7 漢字 é ü
    x * 7 + 0

[7m^G[0m[39m[49m Help      [7m^O[0m[39m[49m Write Out [7m^W[0m[39m[49m Where Is  [7m^K[0m[39m[49m Cut       [7m^T[0m[39m[49m Execute   [7m^C[0m[39m[49m Loco Line
[7m^C[0m[39m[49m Cancel       [7mM-R[0m[39m[49m Reg.exp.    [7m^R[0m[39m[49m Replace      [7m^N[0m[39m[49m Newer0 0























