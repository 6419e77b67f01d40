import type { Library } from './libraries/library.ts'

const senderOf = ({ name, sender = name }: Library) => sender

const LIBRARY = {
  title: 'Which library will you use?',
  text: 'It decides the settings of the client and the code that you get. You can change each setting.',
  label: 'Library or tool',
  description: 'Type its name, or a language. Leave it empty if you use another one.',
  placeholder: 'Auth.js, Spring Boot, Django, Grafana …',
  nothingFound: 'Not in the list. Leave it empty and choose the kind of client: every OpenID Connect library works.',
  kind: 'Kind of client',
  apiOf: (library: Library) =>
    `${library.name} verifies access tokens and needs no client of its own. ` +
    'This client is for the programs that call the API.',
  /** Why the client requires a nonce, or does not. */
  nonce: {
    always: (library: Library) => `${senderOf(library)} sends a nonce, so the client requires one.`,
    configured: (library: Library) =>
      `${senderOf(library)} sends a nonce if its settings say so. The code that you get has them, ` +
      'so the client requires one.',
    never: (library: Library) =>
      `${senderOf(library)} sends no nonce. Latchkey would refuse each of its sign-ins, ` +
      'so this client does not require one.',
    none: () => '',
  },
  wrongKind: {
    title: (library: Library) => `${library.name} needs another kind of client`,
    text: (library: Library, needed: string, actual: string) =>
      `${library.name} needs the kind “${needed}”. This client has the kind “${actual}”, which cannot be changed. ` +
      'Add another client to the application.',
  },
  nonceRequired: {
    title: 'This client requires a nonce',
    text: (library: Library) => `${senderOf(library)} sends no nonce, so each of its sign-ins would be refused.`,
    action: 'Stop requiring a nonce',
    done: 'The client no longer requires a nonce.',
  },
  nonceOptional: {
    title: 'This client does not require a nonce',
    text: (library: Library) =>
      `${senderOf(library)} sends one, so the client can require it. A nonce protects ID tokens from being replayed.`,
    action: 'Require a nonce',
    done: 'The client requires a nonce.',
  },
  redirectMissing: {
    title: 'A redirect address is missing',
    text: (library: Library, uri: string) => `${library.name} returns to ${uri}, which this client does not allow yet.`,
    action: 'Add this address',
    done: 'The redirect address was added.',
  },
}

export const guide = {
  title: 'Create an application',
  lead: 'Four short steps to a client id and code that runs.',
  steps: ['Name', 'Library', 'Addresses', 'Done'],
  machineStep: 'Access',
  progress: (step: number, of: number, name: string) => `Step ${step} of ${of}: ${name}`,
  next: 'Continue',
  back: 'Back',
  create: 'Create application',
  name: {
    title: 'What is it called?',
    label: 'Name of the application',
    text: 'People see it when they sign in. You can change it at any time.',
    placeholder: 'Project Manager',
  },
  library: LIBRARY,
  addresses: {
    title: 'Where does it run?',
    text: 'These work on your own machine. Add the addresses of production now or later.',
  },
  access: {
    title: 'What may it do?',
    text: 'A machine acts for one tenant, or for the whole instance.',
    scopes: 'Scopes',
    ofTenant: {
      'licenses:read': 'Read who holds which license',
      'licenses:write': 'Grant and revoke licenses',
      'events:read': 'Read what happens in the tenant',
    } as Record<string, string>,
    ofInstance: { admin: 'Do everything a super admin can do through the API' } as Record<string, string>,
  },
  done: {
    title: (name: string) => `${name} is ready`,
    text: 'Here is what your software needs.',
    issuer: 'Issuer',
    copyIssuer: 'Copy the issuer',
    clientId: 'Client id',
    copyClientId: 'Copy the client id',
    run: 'In a terminal, in the same folder',
    runAnywhere: 'In a terminal',
    copyRun: 'Copy the commands',
    open: 'Go to the application',
    another: 'Create another',
    copyFile: (name: string) => `Copy ${name}`,
  },
  clientName: {
    SPA: (name: string) => `${name} in the browser`,
    WEB: (name: string) => `${name} on its server`,
    MACHINE: (name: string) => `${name} machine`,
  },
}
