# Health check of a container: asks the process in it on its ops port. Exits with 0 when it is ready, else says why not.
# A shell instead of Node: it runs in every container every few seconds, and must answer on a busy machine too.
exec 2>&1
exec 3<>"/dev/tcp/127.0.0.1/$OPS_PORT" || exit 1
printf 'GET %s HTTP/1.0\r\n\r\n' "${1:-/readyz}" >&3
read -r -t 8 -u 3 _ status _ || { echo 'no answer within 8 s'; exit 1; }
[ "$status" = 200 ] && exit 0
mapfile -t -u 3 lines
echo "$status ${lines[-1]}"
exit 1
