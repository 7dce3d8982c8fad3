#!/bin/bash
# An agent that is a script: what a user might write around a model. `tuck [--session-id ID | --resume ID] [WORDS]`.
home=${TUCK_HOME:-$HOME/.tuck}
mkdir -p "$home/talks" "$home/live"
start=$(cut -d' ' -f22 "/proc/$$/stat")
opened=$(head -n1 "$home/instead" 2>/dev/null)
id='' old='' words=''
while [ $# -gt 0 ]; do
    case $1 in
        --session-id) id=$2; shift ;;
        --resume) id=$2 old=yes; shift ;;
        *) words="$words $1" ;;
    esac
    shift
done
if [ -n "$old" ] && [ ! -e "$home/talks/$id.jsonl" ]; then
    echo "tuck: no talk $id"
    exit 3
fi
if [ -n "$old" ] && [ -n "$opened" ]; then
    id=$opened
fi
[ -n "$id" ] || id=$(cat /proc/sys/kernel/random/uuid)
live="$home/live/$$.json"
trap 'rm -f "$live"' EXIT
trap 'exit 0' TERM HUP
printf '{"pid":%s,"start":%s,"id":"%s"}\n' "$$" "$start" "$id" >"$live.new"
mv "$live.new" "$live"
say() {
    printf '{"type":"user","text":"%s"}\n' "$1" >>"$home/talks/$id.jsonl"
    echo "tuck said: $1"
}
[ -z "$old" ] || echo "tuck is back in $id"
[ -z "$words" ] || say "${words# }"
while printf 'tuck> ' && read -r line; do
    [ "$line" != /exit ] || break
    say "$line"
done
