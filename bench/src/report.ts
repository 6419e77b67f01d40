import { compareRows } from './compare.ts'
import { isHeldUp, listStart, showBulkheads, showGrowth, showStart } from './limit-tables.ts'
import { HOW } from './method.ts'
import type { About, Results } from './results.ts'
import { showDrift, showRows, showTwo, showVerdicts } from './row-tables.ts'

/** Writes what was found as a page. What somebody wrote between the marks of an earlier one is kept. */
export function writePage(results: Results, earlier = ''): string {
  const { about, rows, twoProcesses, start, loadedMb, growth, bulkheads } = results
  const verdicts = compareRows(rows)
  const sections = [
    `# Benchmarks\n\n${describe(about)}`,
    keepByHand(earlier),
    section('Targets', showVerdicts(verdicts.filter(({ met }) => met !== undefined))),
    section('All rows', showRows(rows)),
    section('Beside others', showVerdicts(verdicts.filter(({ met }) => met === undefined))),
    section('Two processes', showTwo(rows, twoProcesses)),
    section('Start and memory', showStart(start, loadedMb)),
    section('Growth', growth && showGrowth(growth)),
    section('Bulkheads', bulkheads && showBulkheads(bulkheads)),
    section('Drift', showDrift(rows)),
    section('How it is measured', HOW),
  ]
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`
}

/** All targets of a run, those of single rows and of the rest. */
export const listMissed = (results: Results): string[] => [
  ...compareRows(results.rows)
    .filter(({ met }) => met === false)
    .map(({ name, against }) => `${name} against ${against}`),
  ...listStart(results.start, results.loadedMb)
    .filter(({ met }) => met === false)
    .map(({ name }) => name),
  ...(results.growth?.rows ?? [])
    .filter((row) => row.most !== undefined && (row.ratios.at(-1) ?? 0) > row.most)
    .map(({ name }) => `Growth: ${name}`),
  ...(results.bulkheads?.rows ?? [])
    .filter((row) => isHeldUp(row, results.bulkheads?.most ?? 0))
    .map(({ name }) => `Bulkheads: ${name}`),
]

const section = (title: string, text: string | undefined): string => (text ? `## ${title}\n\n${text}` : '')

const BEGIN = '<!-- by hand -->'
const END = '<!-- /by hand -->'

function keepByHand(earlier: string): string {
  const begin = earlier.indexOf(BEGIN)
  const end = earlier.indexOf(END, begin)
  return begin >= 0 && end >= 0 ? earlier.slice(begin, end + END.length) : `${BEGIN}\n${END}`
}

/** A machine on which nothing else happens. */
export const QUIET = 0.5

const describe = (about: About): string =>
  [
    'Written by `npm run bench`.',
    `${about.date}, Node ${about.node}, PostgreSQL ${about.postgres}, ${about.cores} cores (${about.processor}),`,
    `${about.memoryGb} GB, ${about.system}. ${about.rounds} ${about.rounds === 1 ? 'round' : 'rounds'} of`,
    `${about.ms / 1000} s for each row, ${about.connections} connections; ${about.minutes} minutes in all.`,
    'Who asks, who answers and the database share the cores.',
    `By itself a signature takes ${about.units.signatureMs.toFixed(2)} ms here,`,
    `and the disk ${about.units.syncMs.toFixed(2)} ms for a write that is to stay.`,
    ...(about.loadBefore > QUIET
      ? [
          `**The machine was busy with something else: its load was ${about.loadBefore.toFixed(1)} before the start.**`,
        ]
      : []),
  ].join(' ')
