import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Visit } from './stage.ts'

const run = promisify(execFile)
const modules = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), '..')

/** Code of the page, as somebody copies it: the file, and what is typed in a terminal. */
export interface Copied {
  file: string
  code: string
  /** The last of the commands; those before it install. */
  command: string
}

export async function copySnippet({ page }: Visit, file: string): Promise<Copied> {
  const read = async (name: string) =>
    (await page.getByRole('region', { name, exact: true }).textContent()) ?? ''
  const commands = (await read('In a terminal, in the same folder')).trim().split('\n')
  return { file, code: await read(file), command: commands.at(-1) ?? '' }
}

/** A folder with the file and the packages that the commands would install. */
function layOut({ file, code }: Copied, packages: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-snippet-'))
  mkdirSync(join(folder, 'node_modules'))
  for (const name of packages) symlinkSync(join(modules, name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, file), code)
  return folder
}

/** Runs a snippet that answers and ends. */
export async function runOnce(copied: Copied, argument = ''): Promise<unknown> {
  const folder = layOut(copied, [])
  try {
    const command = copied.command.replace('"id of a person"', argument)
    const { stdout } = await run('sh', ['-c', command], { cwd: folder })
    return JSON.parse(stdout)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs a snippet that serves until it is stopped. */
export async function serve(copied: Copied, packages: string[], address: string) {
  const folder = layOut(copied, packages)
  const command = copied.command
    .replace('npx vite', `exec '${process.execPath}' '${join(modules, 'vite/bin/vite.js')}'`)
    .replace(' node ', ` exec '${process.execPath}' `)
  const child: ChildProcess = spawn('sh', ['-c', command], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let problem = ''
  child.stderr?.on('data', (chunk) => {
    problem += chunk
  })
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('close', resolve))
    if (child.exitCode === null && child.kill()) await ended
    rmSync(folder, { recursive: true, force: true })
  }
  while (!(await answers(address))) {
    if (child.exitCode !== null) throw new Error(`${copied.command} ended: ${problem}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return { stop, complaints: () => problem }
}

const answers = (address: string): Promise<boolean> =>
  fetch(address).then(
    ({ ok }) => ok,
    () => false,
  )
