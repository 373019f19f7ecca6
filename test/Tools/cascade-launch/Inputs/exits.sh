# exits.sh STATUS COMMAND...: runs the command and succeeds if it exits with
# STATUS. Its errors go to standard output.
expected=$1
shift
"$@" 2>&1
status=$?
if [ $status -ne "$expected" ]; then
  echo "exit status $status instead of $expected"
  exit 1
fi
