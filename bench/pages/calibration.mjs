/** The time of the workload on the machine of the budgets, whose processor is slowed four times. */
const REFERENCE_MS = 200
const REFERENCE_RATE = 4
const RUNS = 9

/** A fixed amount of the work that pages do: objects, strings, sorting and elements. Returns its time. */
function work() {
  const started = performance.now()
  for (let round = 0; round < 3; round++) {
    const items = Array.from({ length: 6_000 }, (_, index) => ({ key: `${(index * 7919) % 6_007}`, index }))
    items.sort((a, b) => (a.key < b.key ? -1 : 1))
    JSON.parse(JSON.stringify(items))
    const list = document.createElement('ul')
    for (const { key } of items.slice(0, 1_500)) {
      const item = document.createElement('li')
      item.className = `item-${key}`
      item.textContent = key
      list.append(item)
    }
    document.body.append(list)
    list.getBoundingClientRect()
    list.remove()
  }
  return performance.now() - started
}

/**
 * How much the processor must be slowed for the same speed on every machine. A machine that is slower than that already
 * gets longer budgets instead.
 */
export async function measureThrottling(browser) {
  const page = await browser.newPage()
  const times = []
  for (let run = 0; run < RUNS; run++) times.push(await page.evaluate(work))
  await page.close()
  // The median, because a machine that is busy now will be busy during the measurement.
  const workloadMs = times.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)]
  const rate = (REFERENCE_RATE * REFERENCE_MS) / workloadMs
  return {
    workloadMs: Math.round(workloadMs),
    cpuRate: Math.max(1, Math.round(rate * 10) / 10),
    budgetFactor: Math.max(1, Math.round(10 / rate) / 10),
  }
}
