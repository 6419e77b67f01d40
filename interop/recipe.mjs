// Tries a page of docs/recipes: runs its commands, writes its files, starts its program and signs in with a browser.
//
// The page itself says what to do, so it cannot differ from what was tried:
//   - The first `sh` block below the heading `## Client` registers the client. `## Install` and `## Run` have one each.
//     `## Install` may be missing.
//   - A block that follows a line with only a file name, such as "`server.mjs`:", is that file.
//   - 3000 is the port of Latchkey and 8080 that of the program. Both are replaced by free ports.
//   - The commands find the secret of the client in CLIENT_SECRET, and the id of the application in APPLICATION_ID.
//   - The program shows a link or button "Sign in", and then "Signed in as <email address>". If it can renew its
//     tokens, it shows "Refresh", and the end of its access token in an element with the id "access-token". If it can
//     sign out, it shows "Sign out", and after that "Sign in" again.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connect } from './demo-api.mjs'
import { LATCHKEY } from './program.mjs'
import { findFreePort } from './server-process.mjs'
import { refresh, signIn, signOut, withPage } from './sign-in.mjs'

const RECIPES = fileURLToPath(new URL('../docs/recipes/', import.meta.url))
const START_TIMEOUT_MS = 300_000

/**
 * @param page       the file name in docs/recipes
 * @param url        the address of the demo
 * @param dataFolder the data of the demo
 * @param folder     an empty folder for the files of the page
 * @param canRefresh the program of the page has "Refresh"
 * @param canSignOut the program of the page has "Sign out"
 * @param provider   the name of a link or button that the library shows after "Sign in", to choose a provider
 * @param userPath   the path of the program at which it shows the signed-in user, if that is not its home page
 * @param signOutAsks Latchkey asks the user before the sign-out, because the library has no ID token for it
 * @param env        more variables for the commands of the page
 * @param check      what else to try with the signed-in user: it gets the page of the browser, `appUrl`, `url`,
 *                   `provider`, and the id and secret of the client
 */
export async function tryRecipe({
  page,
  url,
  dataFolder,
  folder,
  canRefresh = true,
  canSignOut = true,
  provider,
  userPath = '',
  signOutAsks = false,
  env = {},
  check,
}) {
  const port = await findFreePort()
  const appUrl = `http://localhost:${port}/`
  const recipe = readRecipe(page, { 3000: new URL(url).port, 8080: String(port) })
  const shell = createShell(folder, { LATCHKEY_DATA_DIR: dataFolder, ...env })
  for (const { path, text } of recipe.files) writeFile(join(folder, 'app', path), text)

  const applicationId = /Its id is (\S+)\.$/m.exec(await shell.run(recipe.application))?.[1]
  try {
    const output = await shell.run(recipe.client)
    const clientId = /^Client id: +(\S+)/m.exec(output)?.[1]
    const secret = /^Client secret: +(\S+)/m.exec(output)?.[1]
    if (recipe.install) await shell.run(recipe.install)
    const app = shell.start(recipe.run, {
      APPLICATION_ID: applicationId,
      ...(secret !== undefined && { CLIENT_SECRET: secret }),
    })
    try {
      await app.waitFor(appUrl)
      await withPage(async (browserPage) => {
        await signIn(browserPage, { appUrl, provider, userUrl: `${appUrl}${userPath}` })
        if (canRefresh) await refresh(browserPage)
        await check?.({ page: browserPage, appUrl, url, provider, clientId, clientSecret: secret })
        if (canSignOut) await signOut(browserPage, { appUrl, provider, asks: signOutAsks })
      })
    } catch (error) {
      throw new Error(`${error.message}\nOutput of the program:\n${app.output()}`)
    } finally {
      await app.stop()
    }
  } finally {
    await deleteApplication(url)
  }
}

/** The commands and files of a page, with other ports. */
export function readRecipe(page, ports = {}) {
  const replacePorts = (text) => text.replace(/\b(3000|8080)\b/g, (port) => ports[port] ?? port)
  const text = replacePorts(readFileSync(join(RECIPES, page), 'utf8'))
  const blocks = readBlocks(text)
  const command = (heading) => blocks.find((block) => block.heading === heading && block.language === 'sh')?.text
  const index = readFileSync(join(RECIPES, 'README.md'), 'utf8')
  const recipe = {
    text,
    application: readBlocks(index).find(
      ({ language, text }) => language === 'sh' && text.includes('application create'),
    ).text,
    client: command('Client'),
    install: command('Install'),
    run: command('Run'),
    files: blocks.filter(({ path }) => path !== undefined),
  }
  if (!recipe.client || !recipe.run) throw new Error(`${page} has no command below "## Client" or below "## Run".`)
  checkIndex(index, page, recipe)
  return recipe
}

/** The row of a page in the index: | [library](page) | version | `--no-require-nonce` or "no" | ... */
function checkIndex(index, page, recipe) {
  const row = index.split('\n').find((line) => line.startsWith('|') && line.includes(`](${page})`))
  if (!row) throw new Error(`docs/recipes/README.md has no row for ${page}.`)
  const [, , version, nonce] = row.split('|').map((cell) => cell.trim())
  if (!/^\d[\w.-]*$/.test(version) || !recipe.text.includes(version))
    throw new Error(`docs/recipes/README.md says that ${page} was tried with ${version}, which the page does not name.`)
  if (nonce.includes('--no-require-nonce') !== recipe.client.includes('--no-require-nonce'))
    throw new Error(`docs/recipes/README.md and ${page} differ about --no-require-nonce.`)
}

function readBlocks(markdown) {
  const blocks = []
  let heading
  let lastLine
  let block
  for (const line of markdown.split('\n')) {
    if (block && line === '```') {
      blocks.push({ ...block, text: `${block.lines.join('\n')}\n` })
      block = undefined
    } else if (block) block.lines.push(line)
    else if (line.startsWith('```'))
      block = { heading, language: line.slice(3), path: /^`([^`]+)`:$/.exec(lastLine)?.[1], lines: [] }
    else if (line.startsWith('## ')) heading = line.slice(3)
    if (line !== '') lastLine = line
  }
  return blocks
}

function writeFile(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Runs commands of a page in the folder of its program. They can use `latchkey`. */
function createShell(folder, env) {
  const bin = join(folder, 'bin')
  const cwd = join(folder, 'app')
  for (const path of [bin, cwd]) mkdirSync(path, { recursive: true })
  symlinkSync(LATCHKEY, join(bin, 'latchkey'))
  const spawnShell = (command, more) => {
    const child = spawn('bash', ['-e', '-c', command], {
      cwd,
      // Its own process group, so that stop() reaches the processes that the shell starts.
      detached: true,
      env: {
        ...process.env,
        PATH: `${bin}${delimiter}${process.env.PATH}`,
        ...env,
        ...more,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk
      })
    return { child, closed: once(child, 'close'), output: () => output }
  }
  return {
    async run(command) {
      const { closed, output } = spawnShell(command, {})
      const [code] = await closed
      if (code !== 0) throw new Error(`This command ended with the code ${code}:\n${command}\n${output()}`)
      return output()
    },
    start: (command, more) => toProgram(spawnShell(command, more)),
  }
}

function toProgram({ child, closed, output }) {
  const kill = () => {
    try {
      process.kill(-child.pid, 'SIGTERM')
    } catch {
      // All processes of the group have ended.
    }
  }
  process.once('exit', kill)
  return {
    output,
    async waitFor(address) {
      for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await sleep(100)) {
        if (child.exitCode !== null) throw new Error(`The program ended with the code ${child.exitCode}.`)
        if (await fetch(address, { redirect: 'manual' }).catch(() => undefined)) return
      }
      throw new Error(`The program did not answer at ${address}.`)
    },
    async stop() {
      process.off('exit', kill)
      kill()
      await closed
    },
  }
}

/** Deletes the application of the pages with its clients. */
async function deleteApplication(url) {
  const { asOperator } = await connect(url)
  const { applications } = await asOperator('GET', '/api/admin/applications?limit=100')
  const application = applications.find(({ slug }) => slug === 'my-app')
  await asOperator('DELETE', `/api/admin/applications/${application.id}`)
}
