import type { TestService } from '../support/service.ts'

export interface ShownSample {
  name: string
  labels: Record<string, string>
  value: number
}

/** What /metrics shows, sample by sample. */
export function parseExposition(text: string): ShownSample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      if (name === '') throw new Error(`no sample: ${line}`)
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)]
      return {
        name,
        labels: Object.fromEntries(pairs.map(([, label = '', shown = '']) => [label, shown])),
        value: Number(value),
      }
    })
}

export async function scrape(
  { url }: Pick<TestService, 'url'>,
  headers: Record<string, string> = {},
): Promise<ShownSample[]> {
  const response = await fetch(`${url}/metrics`, { headers })
  if (response.status !== 200) throw new Error(`metrics: ${response.status}`)
  return parseExposition(await response.text())
}

/** The value of one figure; undefined where it is not shown. */
export function figureIn(
  samples: ShownSample[],
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
}
