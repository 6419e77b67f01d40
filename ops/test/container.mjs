// Runs commands in a folder as if it were the root file system of a container: own processes, own mounts, no
// capabilities. The network is that of the machine.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const SETUP = `
set -e
root=$1 read_only=$2 user=$3 folder=$4 mounts=$5
shift 5
mount --bind "$root" "$root"
for pair in $mounts; do
  mkdir -p "$root\${pair#*:}"
  mount --rbind "\${pair%%:*}" "$root\${pair#*:}"
done
[ "$read_only" = false ] || mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755,size=64k tmpfs "$root/dev"
for device in null zero full random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
mount -o remount,ro "$root/dev"
if [ "$user" = root ]; then exec chroot "$root" env --chdir="$folder" "$@"; fi
exec chroot "$root" setpriv --reuid="\${user%:*}" --regid="\${user#*:}" --clear-groups --no-new-privs \\
  --inh-caps=-all --bounding-set=-all env --chdir="$folder" "$@"
`

/**
 * Starts a command. It is process 1 of its own process namespace, as in a container. `mounts` maps folders of the
 * machine to folders of the root.
 */
export function start(root, command, { env = {}, user = 'root', folder = '/', readOnly = false, mounts = {} } = {}) {
  const pairs = Object.entries(mounts).map(([source, target]) => `${source}:${target}`)
  const settings = [root, String(readOnly), user, folder, pairs.join(' ')]
  const args = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', SETUP, 'sh', ...settings, ...command]
  const child = spawn('unshare', args, { env: { PATH, ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  child.stdin.on('error', () => {})
  const exited = new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  return {
    child,
    exited,
    output: () => output,
    /** Sends a signal to process 1 of the container. */
    signal: (name) => process.kill(findFirstProcess(child.pid), name),
  }
}

/** The only child of `unshare`. */
function findFirstProcess(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
  if (children.length !== 1 || !children[0]) throw new Error('The container has no process.')
  return children[0]
}

/** Runs a command to its end and returns its output. Throws if it fails with another code than expected. */
export async function run(root, command, { expectedCode = 0, input = '', ...options } = {}) {
  const started = start(root, command, options)
  started.child.stdin.end(input)
  const { code, signal } = await started.exited
  if (code !== expectedCode) {
    throw new Error(`"${command.join(' ')}" ended with ${signal ?? code}:\n${started.output()}`)
  }
  return started.output()
}
