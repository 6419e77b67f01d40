import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { ConsolePage } from './console-page.ts'

const run = promisify(execFile)
const modules = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), '..')

/** A code sample as copied from the page. */
export interface CopiedSnippet {
  file: string
  code: string
  /** The last command. The ones before install packages. */
  command: string
}

export async function copySnippet({ page }: ConsolePage, file: string): Promise<CopiedSnippet> {
  const read = async (name: string) => (await page.getByRole('region', { name, exact: true }).textContent()) ?? ''
  const commands = (await read('In a terminal, in the same folder')).trim().split('\n')
  return { file, code: await read(file), command: commands.at(-1) ?? '' }
}

/** Creates a folder with the file and links to the packages that the commands would install. */
function createFolder({ file, code }: CopiedSnippet, packages: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-snippet-'))
  mkdirSync(join(folder, 'node_modules'))
  for (const name of packages) symlinkSync(join(modules, name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, file), code)
  return folder
}

/** Runs a snippet that prints JSON and exits. */
export async function runOnce(snippet: CopiedSnippet, argument = ''): Promise<unknown> {
  const folder = createFolder(snippet, [])
  try {
    const command = snippet.command.replace('"id of a person"', argument)
    const { stdout } = await run('sh', ['-c', command], { cwd: folder })
    return JSON.parse(stdout)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs a snippet that serves HTTP until it is stopped. */
export async function serve(snippet: CopiedSnippet, packages: string[], address: string) {
  const folder = createFolder(snippet, packages)
  const command = snippet.command
    .replace('npx vite', `exec '${process.execPath}' '${join(modules, 'vite/bin/vite.js')}'`)
    .replace(' node ', ` exec '${process.execPath}' `)
  const child: ChildProcess = spawn('sh', ['-c', command], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr?.on('data', (chunk) => {
    output += chunk
  })
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('close', resolve))
    if (child.exitCode === null && child.kill()) await ended
    rmSync(folder, { recursive: true, force: true })
  }
  while (!(await isReachable(address))) {
    if (child.exitCode !== null) throw new Error(`${snippet.command} ended: ${output}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return { stop, errors: () => output }
}

const isReachable = (address: string): Promise<boolean> =>
  fetch(address).then(
    ({ ok }) => ok,
    () => false,
  )
