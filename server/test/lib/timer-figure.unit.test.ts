import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createFigures, defineCounter, defineTimer } from '../../src/lib/figures.ts'
import { TimerFigure } from '../../src/lib/timer-figure.ts'

test('a timer is shown as Prometheus wants a histogram', async () => {
  const registry = new Registry()
  const timer = new TimerFigure({ name: 'wait_seconds', help: 'Waits', buckets: [0.1, 1] })
  registry.registerMetric(timer as never)
  const wait = timer.bind({ at: 'door' })
  for (const seconds of [0.05, 0.1, 0.5, 7]) wait(seconds)
  timer.bind({ at: 'door' })(0.5)
  timer.bind({ at: 'window' })
  expect(await registry.metrics()).toBe(`# HELP wait_seconds Waits
# TYPE wait_seconds histogram
wait_seconds_bucket{le="0.1",at="door"} 2
wait_seconds_bucket{le="1",at="door"} 4
wait_seconds_bucket{le="+Inf",at="door"} 5
wait_seconds_sum{at="door"} 8.15
wait_seconds_count{at="door"} 5
`)
})

test('what is counted with bound labels and without is one figure', async () => {
  const figures = createFigures()
  const doors = defineCounter({ name: 'doors_total', help: 'Doors', labels: { kind: 'named' } })
  const open = figures.bindCounter(doors, { kind: 'open' })
  open()
  open()
  figures.count(doors, { kind: 'open' })
  expect(await figures.registry.metrics()).toContain('doors_total{kind="open"} 3')
  open()
  expect(await figures.registry.getSingleMetricAsString('doors_total')).toContain(
    'doors_total{kind="open"} 4',
  )
  const time = defineTimer({ name: 'time_seconds', help: 'Time', labels: {}, buckets: [1] })
  figures.time(time, {}, 0.5)
  expect(await figures.registry.metrics()).toContain('time_seconds_count 1')
})
