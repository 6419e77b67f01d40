import { fileURLToPath } from 'node:url'
import { findMissingBrowser } from '../browser.mjs'
import { findOutput } from '../commands.mjs'
import { findMissingMaven } from '../maven.mjs'
import { readRecipe, tryRecipe } from '../recipe.mjs'
import { expectPkce, refreshAfterEnd, refreshTwice } from '../recipe-checks.mjs'

export const name = 'Recipe: Spring Boot'
export const findMissing = async () => findMissingBrowser() ?? (await findMissingMaven(findParent()))
export const run = (demo) => tryRecipe({ page: 'spring.md', check, ...demo })

function findParent() {
  const { text } = readRecipe('spring.md').files.find(({ path }) => path === 'pom.xml')
  const [, version] = /<artifactId>spring-boot-starter-parent<\/artifactId>\s*<version>(.+)<\/version>/.exec(text)
  return `org.springframework.boot:spring-boot-starter-parent:${version}`
}

const LATCHKEY = fileURLToPath(new URL('../../server/bin/latchkey.js', import.meta.url))

async function check(signedIn) {
  await expectPkce(signedIn)
  await refreshTwice(signedIn)
  await refreshAfterEnd(signedIn)
  await callApi(signedIn)
}

/** The API accepts access tokens of its application, and nothing else. */
async function callApi({ appUrl, url, clientId, clientSecret }) {
  const redirectUri = `${appUrl}login/oauth2/code/latchkey`
  const own = await getTokens(url, [
    '--client',
    clientId,
    '--client-secret',
    clientSecret,
    '--redirect-uri',
    redirectUri,
  ])
  const foreign = await getTokens(url, ['--client', 'demo-spa'])
  const call = (headers) => fetch(`${appUrl}api/me`, { headers, redirect: 'manual' })
  const callWith = (token) => call({ Authorization: `Bearer ${token}` })

  const response = await callWith(own.access_token)
  if (response.status !== 200) throw new Error(`The API answered ${response.status} to an access token.`)
  const { user, authorities } = await response.json()
  const { sub } = JSON.parse(Buffer.from(own.id_token.split('.')[1], 'base64url'))
  if (user !== sub || !authorities.includes('ROLE_member'))
    throw new Error(`The API knows the user ${user} with the authorities ${authorities}.`)
  const refusals = await Promise.all([call({}), callWith(own.id_token), callWith(foreign.access_token)])
  if (refusals.some(({ status }) => status !== 401))
    throw new Error(`The API answered ${refusals.map(({ status }) => status)} where it must answer 401.`)
  console.log('ok: the API accepts access tokens of its application only')
}

async function getTokens(url, options) {
  const output = await findOutput(process.execPath, [
    LATCHKEY,
    'token',
    '--user',
    'mia@acme.test',
    '--url',
    url,
    ...options,
  ])
  if (output === undefined) throw new Error(`latchkey token failed with ${options.join(' ')}.`)
  return JSON.parse(output)
}
