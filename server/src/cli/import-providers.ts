import { Command, InvalidArgumentError, Option } from 'commander'
import { sections } from '../app.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import type { Role } from '../db/tables.ts'
import { OperatorError } from '../errors.ts'
import { createInputFiles, type InputFiles, requireFile } from '../imports/input-files.ts'
import { type MigrationSummary, migrate } from '../imports/migration.ts'
import { readAuth0 } from '../imports/providers/auth0.ts'
import { readClerk } from '../imports/providers/clerk.ts'
import { readCognito } from '../imports/providers/cognito.ts'
import type { ProviderExport } from '../imports/providers/export.ts'
import { readFirebase } from '../imports/providers/firebase.ts'
import { readKeycloak } from '../imports/providers/keycloak.ts'
import { readOkta } from '../imports/providers/okta.ts'
import { createProblemReport, quote, type ReportColumns } from './problem-report.ts'
import { createProgress } from './progress.ts'
import { runCommand } from './run.ts'

/** The options of every provider. */
interface CommonOptions {
  dryRun?: boolean
  onConflict: 'skip' | 'update'
  report?: string
  tenant?: string
  mapRole: Map<string, Role>
  mapGroup: Map<string, string>
  mapOrganization: Map<string, string>
  assumeVerified?: boolean
}

/** The options of single providers. */
interface ProviderOptions extends CommonOptions {
  clients?: boolean
  application?: string
  passwords?: string
  organizations?: string
  memberships?: string
  groups?: string
  hashConfig?: string
  tenantClaim?: string
  roleClaim?: string
}

interface Provider {
  name: string
  title: string
  files: string
  options: Option[]
  /** What its own role names mean unless `--map-role` says otherwise. */
  roles?: [string, Role][]
  read(files: InputFiles, paths: string[], options: ProviderOptions): ProviderExport
}

const PROVIDERS: Provider[] = [
  {
    name: 'keycloak',
    title: 'Keycloak',
    files: 'the file of "kc.sh export --file", or the folder of "kc.sh export --dir"',
    options: [
      new Option('--clients', 'also import the clients'),
      new Option('--application <slug>', 'the application of the clients; created if it does not exist'),
    ],
    read: (files, paths, options) => readKeycloak(files, { paths, assumeVerified: options.assumeVerified === true }),
  },
  {
    name: 'auth0',
    title: 'Auth0',
    files: 'the users of an export job, one JSON object a line',
    options: [
      new Option('--passwords <file>', 'the password hashes from the support of Auth0, one JSON object a line'),
      new Option('--organizations <file>', 'the organizations with their members, one JSON object a line'),
    ],
    read: (files, paths, { passwords, organizations, assumeVerified = false }) =>
      readAuth0(files, { paths, passwords, organizations, assumeVerified }),
  },
  {
    name: 'clerk',
    title: 'Clerk',
    files: 'the CSV file of the dashboard, or the users as JSON',
    options: [
      new Option('--organizations <file>', 'the organizations, as the API lists them'),
      new Option('--memberships <file>', 'the memberships of all organizations, as the API lists them'),
    ],
    roles: [
      ['org:admin', 'admin'],
      ['org:member', 'member'],
      ['admin', 'admin'],
      ['basic_member', 'member'],
    ],
    read: (files, paths, { organizations, memberships, assumeVerified = false }) =>
      readClerk(files, { paths, organizations, memberships, assumeVerified }),
  },
  {
    name: 'firebase',
    title: 'Firebase Authentication',
    files: 'the file of "firebase auth:export", JSON or CSV',
    options: [
      new Option('--hash-config <file>', 'the "Password hash parameters" of the Firebase console'),
      new Option('--tenant-claim <name>', 'the custom claim that has the slug of a tenant'),
      new Option('--role-claim <name>', 'the custom claim that has the name of a role'),
    ],
    roles: [
      ['owner', 'owner'],
      ['admin', 'admin'],
      ['member', 'member'],
    ],
    read: (files, paths, { hashConfig, tenantClaim, roleClaim, assumeVerified = false }) =>
      readFirebase(files, { paths, hashConfig, tenantClaim, roleClaim, assumeVerified }),
  },
  {
    name: 'cognito',
    title: 'Amazon Cognito',
    files: 'the output of "aws cognito-idp list-users", or a CSV file with the header of the user pool',
    options: [new Option('--groups <file>', 'the groups with their users, one JSON object a line')],
    read: (files, paths, { groups, assumeVerified = false }) => readCognito(files, { paths, groups, assumeVerified }),
  },
  {
    name: 'okta',
    title: 'Okta',
    files: 'the users as JSON, as the users API lists or imports them',
    options: [new Option('--groups <file>', 'the groups with their members, one JSON object a line')],
    read: (files, paths, { groups, assumeVerified = false }) => readOkta(files, { paths, groups, assumeVerified }),
  },
]

export const providerCommands = PROVIDERS.map(createCommand)

function createCommand(provider: Provider): Command {
  const command = new Command(provider.name)
    .description(`import users and organizations from ${provider.title}`)
    .argument('<file...>', provider.files)
    .option('--dry-run', 'report what would happen and change nothing')
    .addOption(
      new Option('--on-conflict <what>', 'what to do with users and clients that already exist')
        .choices(['skip', 'update'])
        .default('skip'),
    )
    .option('--report <file>', 'write everything that is left out to this file as CSV')
    .option('--tenant <slug>', 'the tenant of users who would be in none')
    .option('--map-role <name=role>', 'the role in the tenant for a role or group; repeatable', addRole, new Map())
    .option('--map-group <name=slug>', 'the tenant for the members of a group; repeatable', addPair, new Map())
    .option('--map-organization <name=slug>', 'the tenant for an organization; repeatable', addPair, new Map())
    .option('--assume-verified', 'you vouch that every address belongs to its user')
  for (const option of provider.options) command.addOption(option)
  return command
    .addHelpText(
      'after',
      '\nExisting users keep their password. An interrupted import can be repeated.' +
        '\nExits with 1 when a user, an organization or a client cannot be imported.',
    )
    .action((paths: string[], options: ProviderOptions) => run(provider, paths, options))
}

function addPair(text: string, pairs: Map<string, string>): Map<string, string> {
  // The name may contain "=", a slug and a role may not.
  const at = text.lastIndexOf('=')
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError('Write it as <name>=<value>.')
  return pairs.set(text.slice(0, at), text.slice(at + 1))
}

function addRole(text: string, roles: Map<string, Role>): Map<string, Role> {
  const [[name = '', role = ''] = []] = addPair(text, new Map())
  if (!['owner', 'admin', 'member'].includes(role)) {
    throw new InvalidArgumentError('The role must be owner, admin or member.')
  }
  return roles.set(name, role as Role)
}

const REPORT_COLUMNS: ReportColumns = {
  place: ({ line, place }) => quote(place ?? `line ${line}`),
  email: ({ email = '' }) => quote(email),
  result: ({ isLoss }) => (isLoss ? 'incomplete' : 'not imported'),
  reason: ({ reason }) => quote(reason),
}

async function run(provider: Provider, paths: string[], options: ProviderOptions): Promise<void> {
  if (options.clients && options.application === undefined)
    throw new OperatorError('--clients needs the application of the clients: name it with --application.')
  // Before anything is written.
  for (const file of [options.passwords, options.organizations, options.memberships, options.groups]) {
    if (file !== undefined) requireFile(file)
  }
  const files = createInputFiles()
  const source = provider.read(files, paths, options)
  for (const file of source.userFiles) requireFile(file)
  const { dryRun = false, onConflict, tenant, mapGroup, mapOrganization } = options
  const roles = new Map([...(provider.roles ?? []), ...options.mapRole])
  await runCommand(loadCommandConfig(processEnvironment()), async (ctx, { signal }) => {
    const progress = createProgress(process.stderr)
    const report = createProblemReport(options.report, { progress, option: '--report', columns: REPORT_COLUMNS })
    try {
      const summary = await migrate(ctx, source, {
        files,
        sections,
        mappings: { roles, groups: mapGroup, organizations: mapOrganization, tenant },
        onConflict,
        dryRun,
        application: options.clients ? options.application : undefined,
        onProblem: report.add,
        onLoss: (loss) => report.add({ ...loss, isLoss: true }),
        onProgress: (counts) => progress.show({ share: files.share(), done: total(counts) }),
        signal,
      })
      progress.clear()
      await report.close()
      requireUsers(summary, paths)
      console.log(describeSummary(summary, dryRun))
      if (countFailures(summary) > 0) process.exitCode = 1
    } finally {
      progress.clear()
    }
  })
}

const total = (counts: object) => Object.values(counts).reduce((sum: number, count: number) => sum + count, 0)

function requireUsers({ users }: MigrationSummary, paths: string[]): void {
  if (total(users) > 0) return
  throw new OperatorError(`No users were found in ${paths.join(', ')}. See "latchkey import --help" for the files.`)
}

const countFailures = ({ tenants, users, clients }: MigrationSummary) =>
  tenants.failed + users.failed + (clients?.failed ?? 0)

/** How many names are listed in the summary. */
const MAX_NAMES = 10

const listNames = (names: string[]) =>
  names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '')

function describeSummary(summary: MigrationSummary, dryRun: boolean): string {
  const { tenants, users, clients, tenantsWithoutOwner, unmapped } = summary
  const names = unmapped.map(([name, count]) => `${name} (${count})`)
  return [
    ...(dryRun ? ['Nothing was changed. It would be:'] : []),
    ...(total(tenants) > 0
      ? [`Tenants: ${tenants.imported} imported, ${tenants.existing} here already, ${tenants.failed} not usable.`]
      : []),
    `Users: ${users.imported} imported, ${users.updated} updated, ${users.skipped} here already, ` +
      `${users.failed} not usable.`,
    ...(clients
      ? [
          `Clients: ${clients.imported} imported, ${clients.updated} updated, ${clients.existing} here already, ` +
            `${clients.failed} not usable.`,
        ]
      : []),
    ...(tenantsWithoutOwner.length > 0
      ? [`Without an owner: ${listNames(tenantsWithoutOwner)}. Use --map-role <name>=owner, or "latchkey apply".`]
      : []),
    ...(names.length > 0
      ? [`Roles and groups without a translation, with their number of users: ${listNames(names)}.`]
      : []),
  ].join('\n')
}
