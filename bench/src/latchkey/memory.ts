import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { sendRequest } from '../http.ts'
import { cpuSecondsOf, residentMbOf } from '../processes.ts'
import type { RunningProgram } from '../programs.ts'
import type { MemoryResult } from '../results.ts'
import type { HttpRequest } from '../row.ts'
import { basic, bearer, FORM, getTokensOfAll } from './callers.ts'
import { listLicenseChecks } from './rows.ts'

/** Each person refreshes until they have this many access tokens. */
const TOKENS_PER_PERSON = 5
const ROUNDS = 3
const CONNECTIONS = 16
/** The service finishes its background work, then its CPU time is measured. */
const PAUSE_MS = 5_000
const IDLE_MS = 20_000

/** Memory while many tokens and license facts are in use, and CPU time when the service is idle afterwards. */
export async function measureMemory(program: RunningProgram): Promise<MemoryResult> {
  const afterRowsMb = residentMbOf(program.pid)
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const send = async (request: HttpRequest): Promise<string> => {
    const { status, body } = await sendRequest(program.url, agent, request)
    if (status !== 200) throw new Error(`unexpected response from ${request.path}: ${status} ${body}`)
    return body
  }
  try {
    const tokens = await collectTokens(program, send)
    const userinfo = tokens.map(
      (token): HttpRequest => ({ method: 'GET', path: '/api/oauth/userinfo', headers: bearer(token) }),
    )
    const checks = (await listLicenseChecks(program)).map(({ request }) => request)
    for (let round = 0; round < ROUNDS; round++) await inParallel([...userinfo, ...checks], send)
    const inUseMb = residentMbOf(program.pid)
    await sleep(PAUSE_MS)
    const before = cpuSecondsOf(program.pid)
    await sleep(IDLE_MS)
    const idleCpuPercent = ((cpuSecondsOf(program.pid) - before) / (IDLE_MS / 1000)) * 100
    return { afterRowsMb, inUseMb, idleCpuPercent, tokens: tokens.length, facts: checks.length }
  } finally {
    agent.destroy()
  }
}

async function collectTokens(
  program: RunningProgram,
  send: (request: HttpRequest) => Promise<string>,
): Promise<string[]> {
  const headers = { ...FORM, ...basic('bench-web', program.outputs.clientSecret) }
  const tokens: string[] = []
  await inParallel(await getTokensOfAll(program), async ({ access_token, refresh_token }) => {
    tokens.push(access_token)
    let next = refresh_token
    for (let count = 1; count < TOKENS_PER_PERSON; count++) {
      const body = `grant_type=refresh_token&refresh_token=${next}`
      const refreshed = JSON.parse(await send({ method: 'POST', path: '/api/oauth/token', headers, body }))
      tokens.push(refreshed.access_token)
      next = refreshed.refresh_token
    }
  })
  return tokens
}

async function inParallel<T>(items: T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const remaining = items.values()
  const run = async () => {
    for (const item of remaining) await work(item)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, run))
}
