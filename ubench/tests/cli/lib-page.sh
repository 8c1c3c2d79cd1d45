# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the cases of ubench_report page share.

# page OPTION... FILE...: makes page.html and says what is wrong with it, and
# what is on it.
page() {
    echo "\$ ubench_report page $*"
    "$BIN/ubench_report" page "$@" >page.html
    echo "exit $?"
    python3 "$CLI/../lib/check_page.py" page.html
}

# hostile: lines whose every text tries to be something else.
hostile() {
    long=$(printf '%05000d' 0)
    line '</script><script>alert(1)</script>' power-safe 1 2000000000 \
        '"facts":{"\"><img src=x onerror=1>":"https://evil.example/\u0001\u001b[2J"},' \
        '"host":{"cpu":"'"$long"'","cores":"<!-- & \u202e"},' \
        '"warning":"]]></style><style>*{display:none}",'
    line "\`touch owned\`" bounded 1 1000000000 \
        "\"labels\":{\"<b>\":\"'; system('touch owned')\"},"
    line "'; system 'touch owned'; plot '" bounded 1 1000000000 \
        '"error":"\\\"quoted\\\"",'
    line 'ünïcödé-🐘-存储' volatile 1 1000000000
    line 'mysql' volatile '1</td></table>' 1000000000
    line "$long" volatile 1 1000000000
}
