import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { type Program, run } from './program.ts'

/** A running `latchkey demo --test`. */
export interface TestMode {
  url: string
  program: Program
  get<T>(path: string): Promise<T>
  /** Sends JSON and expects success. */
  post<T>(path: string, body?: unknown): Promise<T>
  send(method: string, path: string, body?: unknown): Promise<Response>
  stop(): Promise<void>
}

/** The folders of test mode are in the scratch folder of the tests. */
export const testModeEnv = () => ({ TMPDIR: inject('scratch') })

export function listTestFolders(): string[] {
  return readdirSync(join(inject('scratch'), `latchkey-test-${process.getuid?.() ?? 0}`))
}

export async function startTestMode(
  args: string[] = [],
  env: Record<string, string> = {},
  onStart: (program: Program) => void = () => {},
): Promise<TestMode> {
  const program = run(['demo', '--test', '--json', ...args], { env: { ...testModeEnv(), ...env } })
  onStart(program)
  await program.prints('"}\n')
  const line = program
    .output()
    .split('\n')
    .find((text) => text.startsWith('{"baseUrl"'))
  const { baseUrl: url } = JSON.parse(line ?? '') as { baseUrl: string }
  const send = (method: string, path: string, body?: unknown) =>
    fetch(url + path, {
      method,
      ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    })
  const readJson = async <T>(response: Response): Promise<T> => {
    const text = await response.text()
    expect(response.ok, text).toBe(true)
    return JSON.parse(text) as T
  }
  return {
    url,
    program,
    send,
    get: async (path) => readJson(await send('GET', path)),
    post: async (path, body) => readJson(await send('POST', path, body)),
    async stop() {
      program.child.kill('SIGTERM')
      await program.exited
    },
  }
}
