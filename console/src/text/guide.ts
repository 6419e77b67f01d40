import type { Library } from './libraries/library.ts'
import { t } from './translate.ts'

const senderOf = ({ name, sender = name }: Library) => sender

const LIBRARY = {
  title: t('Which library will you use?'),
  text: t('It decides the settings of the client and the code that you get. You can change each setting.'),
  label: t('Library or tool'),
  description: t('Type its name, or a language. Leave it empty if you use another one.'),
  placeholder: 'Auth.js, Spring Boot, Django, Grafana …',
  nothingFound: t('Not in the list. Leave it empty and choose the kind of client: every OpenID Connect library works.'),
  kind: t('Kind of client'),
  apiOf: (library: Library) =>
    t(
      '{library} verifies access tokens and needs no client of its own. This client is for the programs that call the API.',
      { library: library.name },
    ),
  /** Why the client requires a nonce, or does not. */
  nonce: {
    always: (library: Library) =>
      t('{library} sends a nonce, so the client requires one.', { library: senderOf(library) }),
    configured: (library: Library) =>
      t('{library} sends a nonce if its settings say so. The code that you get has them, so the client requires one.', {
        library: senderOf(library),
      }),
    never: (library: Library) =>
      t('{library} sends no nonce. Latchkey would refuse each of its sign-ins, so this client does not require one.', {
        library: senderOf(library),
      }),
    none: () => '',
  },
  wrongKind: {
    title: (library: Library) => t('{library} needs another kind of client', { library: library.name }),
    text: (library: Library, needed: string, actual: string) =>
      t(
        '{library} needs the kind “{needed}”. This client has the kind “{actual}”, which cannot be changed. Add another client to the application.',
        { library: library.name, needed, actual },
      ),
  },
  nonceRequired: {
    title: t('This client requires a nonce'),
    text: (library: Library) =>
      t('{library} sends no nonce, so each of its sign-ins would be refused.', { library: senderOf(library) }),
    action: t('Stop requiring a nonce'),
    done: t('The client no longer requires a nonce.'),
  },
  nonceOptional: {
    title: t('This client does not require a nonce'),
    text: (library: Library) =>
      t('{library} sends one, so the client can require it. A nonce protects ID tokens from being replayed.', {
        library: senderOf(library),
      }),
    action: t('Require a nonce'),
    done: t('The client requires a nonce.'),
  },
  redirectMissing: {
    title: t('A redirect address is missing'),
    text: (library: Library, uri: string) =>
      t('{library} returns to {uri}, which this client does not allow yet.', { library: library.name, uri }),
    action: t('Add this address'),
    done: t('The redirect address was added.'),
  },
}

export const guide = {
  title: t('Create an application'),
  lead: t('Four short steps to a client id and code that runs.'),
  steps: [t('Name'), t('Library'), t('Addresses'), t('Done')],
  machineStep: t('Access'),
  progress: (step: number, of: number, name: string) => t('Step {step} of {of}: {name}', { step, of, name }),
  next: t('Continue'),
  back: t('Back'),
  create: t('Create application'),
  name: {
    title: t('What is it called?'),
    label: t('Name of the application'),
    text: t('People see it when they sign in. You can change it at any time.'),
    placeholder: t('Project Manager'),
  },
  library: LIBRARY,
  addresses: {
    title: t('Where does it run?'),
    text: t('These work on your own machine. Add the addresses of production now or later.'),
  },
  access: {
    title: t('What may it do?'),
    text: t('A machine acts for one tenant, or for the whole instance.'),
    scopes: t('Scopes'),
    ofTenant: {
      'licenses:read': t('Read who holds which license'),
      'licenses:write': t('Grant and revoke licenses'),
      'events:read': t('Read what happens in the tenant'),
    } as Record<string, string>,
    ofInstance: { admin: t('Do everything a super admin can do through the API') } as Record<string, string>,
  },
  done: {
    title: (name: string) => t('{name} is ready', { name }),
    text: t('Here is what your software needs.'),
    issuer: t('Issuer'),
    copyIssuer: t('Copy the issuer'),
    clientId: t('Client id'),
    copyClientId: t('Copy the client id'),
    run: t('In a terminal, in the same folder'),
    runAnywhere: t('In a terminal'),
    copyRun: t('Copy the commands'),
    open: t('Go to the application'),
    another: t('Create another'),
    copyFile: (name: string) => t('Copy {name}', { name }),
  },
  clientName: {
    SPA: (name: string) => t('{name} in the browser', { name }),
    WEB: (name: string) => t('{name} on its server', { name }),
    MACHINE: (name: string) => t('{name} machine', { name }),
  },
}
