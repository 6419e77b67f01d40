/** The password of everybody in the demo data. */
const PASSWORD = 'latchkey-demo-2026'
const VIEWPORTS = { signIn: { width: 412, height: 823 }, console: { width: 1280, height: 800 } }
/** Slow 4G as in Lighthouse: 150 ms for each request, 1.6 Mbit/s down, 0.75 Mbit/s up. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }
const TIMEOUT_MS = 60_000
/** A page is quiet when nothing was requested for this long. */
const QUIET_MS = 1_000
const LONG_TASK_MS = 50

/** Opens a page with an empty cache and a throttled processor and network. */
export async function measurePage(browser, url, { kind, email, path, complete }, { cpuRate }) {
  const storageState = email === undefined ? undefined : await signIn(browser, url, email)
  const context = await browser.newContext({ viewport: VIEWPORTS[kind], locale: 'en-US', storageState })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(TIMEOUT_MS)
    await page.addInitScript(observe)
    const traffic = countTraffic(page)
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', SLOW_4G)
    await session.send('Emulation.setCPUThrottlingRate', { rate: cpuRate })
    await page.goto(url + path)
    await page.locator(complete).first().waitFor()
    const { lcp, tasks, firstPaint } = await waitUntilQuiet(page, traffic)
    const blocking = tasks
      .filter(({ start }) => start >= firstPaint)
      .reduce((sum, { duration }) => sum + duration - LONG_TASK_MS, 0)
    return { lcp, blocking, requests: traffic.requests, kilobytes: traffic.bytes() / 1_000 }
  } finally {
    await context.close()
  }
}

/** Signs in without throttling. Returns the cookies, but not the cache. */
async function signIn(browser, url, email) {
  const context = await browser.newContext()
  const page = await context.newPage()
  page.setDefaultTimeout(TIMEOUT_MS)
  await page.goto(`${url}/account`)
  await page.fill('input[name=email]', email)
  await page.fill('input[name=password]', PASSWORD)
  await page.locator('input[name=password]').press('Enter')
  await page.waitForURL((address) => address.pathname.startsWith('/account'))
  const state = await context.storageState()
  await context.close()
  return state
}

/** Runs in the page before its own scripts. */
function observe() {
  const found = { lcp: 0, tasks: [] }
  window.latchkeyMeasurement = found
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) found.lcp = entry.startTime
  }).observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) found.tasks.push({ start: startTime, duration })
  }).observe({ type: 'longtask', buffered: true })
}

function countTraffic(page) {
  const traffic = { requests: 0, lastAt: Date.now(), sizes: [] }
  const touch = () => {
    traffic.lastAt = Date.now()
  }
  page.on('request', () => {
    traffic.requests++
    touch()
  })
  page.on('requestfinished', async (request) => {
    touch()
    const sizes = await request.sizes().catch(() => undefined)
    traffic.sizes.push((sizes?.responseBodySize ?? 0) + (sizes?.responseHeadersSize ?? 0))
  })
  traffic.bytes = () => traffic.sizes.reduce((sum, size) => sum + size, 0)
  return traffic
}

async function waitUntilQuiet(page, traffic) {
  while (Date.now() - traffic.lastAt < QUIET_MS) await page.waitForTimeout(100)
  return page.evaluate(() => ({
    ...window.latchkeyMeasurement,
    firstPaint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  }))
}
