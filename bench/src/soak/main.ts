import { cpus, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { compareQuarters, isLongEnough, listGrown, showGrowth, showSamples } from './growth.ts'
import { type Node, startNodes } from './nodes.ts'
import { type Sample, takeSample } from './samples.ts'
import { runAtRate } from './scheduler.ts'
import { startMailServer, startReceiver } from './sinks.ts'
import { createTally, type Tally } from './tally.ts'
import { prepareTasks, type Task } from './tasks.ts'

const HELP = `Runs two nodes on one database under a moderate mixed load. Fails on any 5xx or unexpected
response, and when memory, descriptors or connections keep growing.

  npm run bench:soak                  for 30 minutes
  npm run bench:soak -- --minutes 2   shorter: below 10 minutes growth is reported but cannot fail the run
`

const SAMPLE_MS = 30_000

interface SoakResult {
  nodes: Node[]
  samples: Sample[]
  tally: Tally
  seconds: number
  received: { mails: number; events: number }
}

const log = (line: string) => void process.stderr.write(`${line}\n`)

async function soak(workspace: Workspace, minutes: number): Promise<SoakResult> {
  const [mail, receiver] = [await startMailServer(), await startReceiver()]
  try {
    const nodes = await startNodes(workspace, { mail: mail.port })
    const tally = createTally()
    const tasks = await prepareTasks(nodes, tally, receiver.port)
    log(`two nodes, ${tasks.reduce((sum, { perSecond }) => sum + perSecond, 0)} tasks a second`)
    const startedAt = performance.now()
    const samples = await observe(workspace, { nodes, tasks, tally, minutes })
    const seconds = (performance.now() - startedAt) / 1_000
    const received = { mails: mail.count(), events: receiver.count() }
    if (received.mails === 0) tally.recordUnexpected('no mail was received')
    if (received.events === 0) tally.recordUnexpected('no webhook was received')
    return { nodes, samples, tally, seconds, received }
  } finally {
    mail.close()
    receiver.close()
  }
}

interface ObserveOptions {
  nodes: Node[]
  tasks: Task[]
  tally: Tally
  minutes: number
}

/** Runs the tasks and takes samples at the same time. */
async function observe({ database }: Workspace, { nodes, tasks, tally, minutes }: ObserveOptions): Promise<Sample[]> {
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  const isOver = () => elapsed() >= minutes * 60_000
  const samples: Sample[] = []
  const takeSamples = async () => {
    for (let next = SAMPLE_MS; next <= minutes * 60_000; next += SAMPLE_MS) {
      await sleep(Math.max(0, next - elapsed()))
      const sample = await takeSample(nodes, database, elapsed() / 60_000)
      samples.push(sample)
      const memory = sample.nodes.map((node) => `${Math.round(node.residentMb)} MB`).join(' and ')
      log(`minute ${sample.minute.toFixed(1)}: ${memory}, ${sample.connections} connections`)
    }
  }
  await Promise.all([runAtRate(tasks, tally, isOver), takeSamples()])
  return samples
}

/** Returns the exit code. */
function report({ version }: Workspace['database'], result: SoakResult): number {
  const { nodes, samples, tally, seconds, received } = result
  const labels = nodes.map(({ label }) => label)
  const growths = compareQuarters(samples, labels)
  const print = (text: string) => void process.stdout.write(`${text}\n\n`)
  print(
    `Soak: ${new Date().toISOString().slice(0, 10)}, ${(seconds / 60).toFixed(1)} minutes, Node ${process.versions.node}, PostgreSQL ${version}, ${cpus().length} cores, load at the end ${loadavg()[0]?.toFixed(1)}`,
  )
  print(tally.show(seconds))
  print(`Received mails: ${received.mails}; received webhooks: ${received.events}`)
  print(showSamples(samples, labels))
  print(showGrowth(growths))
  const isChecked = isLongEnough(samples)
  if (!isChecked) print('The run was too short to check growth.')
  const problems = [...tally.problems(), ...(isChecked ? listGrown(growths) : [])]
  for (const problem of problems) print(`failed: ${problem}`)
  return problems.length > 0 ? 1 : 0
}

function readMinutes(): number | 'help' {
  const options = { minutes: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const
  const { minutes = '30', help } = parseArgs({ options }).values
  if (help) return 'help'
  if (!(Number(minutes) >= 1)) throw new Error('--minutes needs a number, 1 or more.')
  return Number(minutes)
}

const minutes = readMinutes()
if (minutes === 'help') process.stdout.write(HELP)
else {
  const workspace = await openWorkspace(() => {})
  try {
    process.exitCode = report(workspace.database, await soak(workspace, minutes))
  } finally {
    await workspace.close()
  }
}
