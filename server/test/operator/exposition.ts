import type { TestService } from '../support/service.ts'

export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** Parses the Prometheus text format. */
export function parseExposition(exposition: string): Sample[] {
  return exposition
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      if (name === '') throw new Error(`not a sample: ${line}`)
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)]
      return {
        name,
        labels: Object.fromEntries(pairs.map(([, label = '', text = '']) => [label, text])),
        value: Number(value),
      }
    })
}

export async function scrape(
  { url }: Pick<TestService, 'url'>,
  headers: Record<string, string> = {},
): Promise<Sample[]> {
  const response = await fetch(`${url}/metrics`, { headers })
  if (response.status !== 200) throw new Error(`metrics: ${response.status}`)
  return parseExposition(await response.text())
}

/** The sum of all matching samples; undefined if there is none. */
export function sumSamples(samples: Sample[], name: string, labels: Record<string, string> = {}): number | undefined {
  const matching = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )
  return matching.length === 0 ? undefined : matching.reduce((sum, { value }) => sum + value, 0)
}
