import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { sections } from '../../src/app.ts'
import { createInputFiles, type InputFiles } from '../../src/imports/input-files.ts'
import { type MigrationOptions, type MigrationSummary, migrate } from '../../src/imports/migration.ts'
import type { ProviderExport } from '../../src/imports/providers/export.ts'
import type { Mappings } from '../../src/imports/providers/memberships.ts'
import type { RowProblem } from '../../src/imports/row.ts'
import { call, logIn } from '../account/people.ts'
import { tempFolder } from '../support/program.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { cookieOf } from '../support/world.ts'

/** The password of all users in the fixtures, except those of Keycloak. */
export const PASSWORD = 'the password they had before'

export const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))

const folder = tempFolder()

/** Writes a file and returns its path. */
export function writeExport(name: string, content: string | object): string {
  const file = join(folder, name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  return file
}

interface MigrationResult extends MigrationSummary {
  problems: RowProblem[]
  losses: RowProblem[]
}

export interface TestOptions extends Partial<Omit<MigrationOptions, 'mappings'>> {
  mappings?: Partial<Mappings>
}

/** Runs an import and collects its problems and losses. */
export async function runMigration(
  { ctx }: TestService,
  read: (files: InputFiles) => ProviderExport,
  { mappings, ...options }: TestOptions = {},
): Promise<MigrationResult> {
  const problems: RowProblem[] = []
  const losses: RowProblem[] = []
  const files = createInputFiles()
  const summary = await migrate(ctx, read(files), {
    files,
    sections,
    mappings: { roles: new Map(), groups: new Map(), organizations: new Map(), tenant: undefined, ...mappings },
    onConflict: 'skip',
    dryRun: false,
    application: undefined,
    onProgress: () => {},
    ...options,
    onProblem: (problem) => problems.push(problem),
    onLoss: (loss) => losses.push(loss),
  })
  return { ...summary, problems, losses }
}

/** What a report says, without the places. */
export const reasonsOf = (problems: RowProblem[]): [string | undefined, string][] =>
  problems.map(({ email, reason }) => [email, reason])

/** The old password works, and another one does not. */
export async function expectSignIn(service: TestService, email: string, password = PASSWORD): Promise<void> {
  expect((await logIn(service.url, email, 'another password')).status, email).toBe(401)
  expect((await logIn(service.url, email, password)).status, email).toBe(200)
}

/** The old password and a code of the old authenticator app are needed to sign in. */
export async function expectSecondFactor(
  service: TestService,
  { email, password = PASSWORD, secret }: { email: string; password?: string; secret: string },
): Promise<void> {
  const half = await logIn(service.url, email, password)
  expect(await half.clone().json()).toMatchObject({ mfaRequired: true })
  const answer = (code: string) =>
    call(`${service.url}/api/auth/mfa`, { method: 'POST', headers: { cookie: cookieOf(half) }, body: { code } })
  const code = totpCode(secret, service.ctx.now())
  expect((await answer(code === '000000' ? '000001' : '000000')).status).toBe(400)
  expect(await answer(code)).toMatchObject({ status: 200, body: { user: { email } } })
}

/** The memberships of a user as texts such as `acme owner`. */
export async function listMemberships({ ctx }: TestService, email: string): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['slug', 'role', 'status'])
    .where('users.email', '=', email)
    .orderBy('slug')
    .execute()
  return rows.map(({ slug, role, status }) => `${slug} ${role}${status === 'ACTIVE' ? '' : ` ${status}`}`)
}

export const listTenants = ({ ctx }: TestService) =>
  ctx.db.selectFrom('tenants').select(['slug', 'name', 'suspended_at']).orderBy('slug').execute()

/** Everything that an import can write, to compare two states. */
export async function dumpState({ ctx: { db } }: TestService) {
  return {
    users: await db.selectFrom('users').selectAll().orderBy('id').execute(),
    tenants: await db.selectFrom('tenants').selectAll().orderBy('id').execute(),
    memberships: await db.selectFrom('memberships').selectAll().orderBy('id').execute(),
    secrets: await db.selectFrom('totp_secrets').selectAll().orderBy('user_id').execute(),
    clients: await db.selectFrom('clients').selectAll().orderBy('id').execute(),
    applications: await db.selectFrom('applications').selectAll().orderBy('id').execute(),
    entries: await db.selectFrom('audit_entries').select('id').orderBy('id').execute(),
  }
}
