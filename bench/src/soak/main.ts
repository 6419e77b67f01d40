import { cpus, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openPlace, type Place } from '../place.ts'
import { compareQuarters, isLongEnough, listGrown, showGrowth, showSamples } from './growth.ts'
import { type Node, startNodes } from './nodes.ts'
import { runAtRate } from './pace.ts'
import { type Sample, takeSample } from './samples.ts'
import { startMailServer, startReceiver } from './sinks.ts'
import { createTally, type Tally } from './tally.ts'
import { prepareWork, type Task } from './work.ts'

const HELP = `Two nodes on one database under a moderate load of many kinds. Fails when an answer is 5xx or not as it must be,
and when memory, descriptors or connections keep growing.

  npm run bench:soak                  for 30 minutes
  npm run bench:soak -- --minutes 2   shorter: below 10 minutes growth is shown and not judged
`

const SAMPLE_MS = 30_000

interface Measured {
  nodes: Node[]
  samples: Sample[]
  tally: Tally
  seconds: number
  arrived: { mails: number; events: number }
}

const tell = (line: string) => void process.stderr.write(`${line}\n`)

async function soak(place: Place, minutes: number): Promise<Measured> {
  const [mail, receiver] = [await startMailServer(), await startReceiver()]
  try {
    const nodes = await startNodes(place, { mail: mail.port })
    const tally = createTally()
    const tasks = await prepareWork(nodes, tally, receiver.port)
    tell(`two nodes, ${tasks.reduce((sum, { perSecond }) => sum + perSecond, 0)} tasks a second`)
    const begin = performance.now()
    const samples = await observe(place, { nodes, tasks, tally, minutes })
    const seconds = (performance.now() - begin) / 1_000
    const arrived = { mails: mail.count(), events: receiver.count() }
    if (arrived.mails === 0) tally.noteUnexpected('no mail has arrived')
    if (arrived.events === 0) tally.noteUnexpected('no webhook has arrived')
    return { nodes, samples, tally, seconds, arrived }
  } finally {
    mail.close()
    receiver.close()
  }
}

interface Watched {
  nodes: Node[]
  tasks: Task[]
  tally: Tally
  minutes: number
}

/** Runs the tasks and takes samples meanwhile. */
async function observe({ database }: Place, { nodes, tasks, tally, minutes }: Watched): Promise<Sample[]> {
  const begin = performance.now()
  const elapsed = () => performance.now() - begin
  const isOver = () => elapsed() >= minutes * 60_000
  const samples: Sample[] = []
  const watch = async () => {
    for (let next = SAMPLE_MS; next <= minutes * 60_000; next += SAMPLE_MS) {
      await sleep(Math.max(0, next - elapsed()))
      const sample = await takeSample(nodes, database, elapsed() / 60_000)
      samples.push(sample)
      const held = sample.nodes.map((node) => `${Math.round(node.residentMb)} MB`).join(' and ')
      tell(`minute ${sample.minute.toFixed(1)}: ${held}, ${sample.connections} connections`)
    }
  }
  await Promise.all([runAtRate(tasks, tally, isOver), watch()])
  return samples
}

/** The code to end with. */
function report({ version }: Place['database'], measured: Measured): number {
  const { nodes, samples, tally, seconds, arrived } = measured
  const labels = nodes.map(({ label }) => label)
  const growths = compareQuarters(samples, labels)
  const print = (text: string) => void process.stdout.write(`${text}\n\n`)
  print(
    `Soak: ${new Date().toISOString().slice(0, 10)}, ${(seconds / 60).toFixed(1)} minutes, Node ${process.versions.node}, PostgreSQL ${version}, ${cpus().length} cores, load at the end ${loadavg()[0]?.toFixed(1)}`,
  )
  print(tally.show(seconds))
  print(`Mails that arrived: ${arrived.mails}; webhooks that arrived: ${arrived.events}`)
  print(showSamples(samples, labels))
  print(showGrowth(growths))
  const isJudged = isLongEnough(samples)
  if (!isJudged) print('The run was too short to judge growth.')
  const problems = [...tally.problems(), ...(isJudged ? listGrown(growths) : [])]
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
  const place = await openPlace(() => {})
  try {
    process.exitCode = report(place.database, await soak(place, minutes))
  } finally {
    await place.close()
  }
}
