import { homeOf, openAndSignIn, originOf, pathOf, portOf, quote, type Snippet, type SnippetValues } from './values.ts'

const viteOn = (redirectUri: string, packages: string) => `npm install ${packages} vite
npx vite --port ${portOf(redirectUri, '5173')} --strictPort`

const REACT_PAGE = {
  name: 'index.html',
  code: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Signing in with Latchkey</title>
<div id="root"></div>
<script type="module" src="/main.jsx"></script>
`,
}

/** Lines of an object literal. */
const postLogoutLine = (postLogoutUri: string | undefined) =>
  postLogoutUri ? `\n  post_logout_redirect_uri: ${quote(postLogoutUri)},` : ''

export function oidcClientTs({ issuer, clientId, redirectUri, postLogoutUri }: SnippetValues): Snippet {
  const code = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Signing in with Latchkey</title>
<p id="text">Loading …</p>
<button id="button" hidden></button>
<script type="module">
import { UserManager } from 'oidc-client-ts'

const users = new UserManager({
  authority: ${quote(issuer)},
  client_id: ${quote(clientId)},
  redirect_uri: ${quote(redirectUri)},${postLogoutLine(postLogoutUri)}
  scope: 'openid profile email',
})
// The library sends a nonce only if it gets one, and compares it with the ID token.
const signIn = () => users.signinRedirect({ nonce: crypto.randomUUID() })

function show(text, label, action) {
  document.querySelector('#text').textContent = text
  const button = document.querySelector('#button')
  button.textContent = label
  button.onclick = action
  button.hidden = false
}

try {
  if (new URLSearchParams(location.search).has('state')) {
    await users.signinCallback()
    history.replaceState(null, '', '/')
  }
  const user = await users.getUser()
  if (user) show('Hello ' + user.profile.email, 'Sign out', () => users.signoutRedirect())
  else show('You are not signed in.', 'Sign in', signIn)
} catch (error) {
  show(error.error_description ?? error.message, 'Try again', signIn)
}
</script>
`
  return {
    files: [{ name: 'index.html', code }],
    run: viteOn(redirectUri, 'oidc-client-ts'),
    next: openAndSignIn(homeOf(redirectUri)),
  }
}

export function reactOidcContext({ issuer, clientId, redirectUri, postLogoutUri }: SnippetValues): Snippet {
  const code = `import { createRoot } from 'react-dom/client'
import { AuthProvider, useAuth } from 'react-oidc-context'

const settings = {
  authority: ${quote(issuer)},
  client_id: ${quote(clientId)},
  redirect_uri: ${quote(redirectUri)},${postLogoutLine(postLogoutUri)}
  scope: 'openid profile email',
  onSigninCallback: () => history.replaceState(null, '', '/'),
}

function App() {
  const auth = useAuth()
  // The library sends a nonce only if it gets one, and compares it with the ID token.
  const signIn = () => auth.signinRedirect({ nonce: crypto.randomUUID() })
  if (auth.isLoading) return <p>Loading …</p>
  return (
    <>
      <p>{auth.error?.message ?? (auth.user ? 'Hello ' + auth.user.profile.email : 'You are not signed in.')}</p>
      {auth.isAuthenticated ? (
        <button onClick={() => auth.signoutRedirect()}>Sign out</button>
      ) : (
        <button onClick={signIn}>Sign in</button>
      )}
    </>
  )
}

createRoot(document.getElementById('root')).render(
  <AuthProvider {...settings}>
    <App />
  </AuthProvider>,
)
`
  return {
    files: [REACT_PAGE, { name: 'main.jsx', code: withReact(code) }],
    run: viteOn(redirectUri, 'react react-dom react-oidc-context oidc-client-ts'),
    next: openAndSignIn(homeOf(redirectUri)),
  }
}

/** Vite without a plugin compiles JSX to React.createElement. */
const withReact = (code: string) => `import React from 'react'\n${code}`

export function latchkeyReact({ issuer, clientId, applicationId, redirectUri }: SnippetValues): Snippet {
  const code = `import { LatchkeyProvider, useAuth, useUser } from '@latchkey/react'
import { createRoot } from 'react-dom/client'

function App() {
  const { status, error, signIn, signOut } = useAuth()
  const user = useUser()
  if (status === 'loading') return <p>Loading …</p>
  return (
    <>
      <p>{error?.message ?? (user ? 'Hello ' + user.email : 'You are not signed in.')}</p>
      {user ? (
        <button onClick={() => signOut()}>Sign out</button>
      ) : (
        <button onClick={() => signIn()}>Sign in</button>
      )}
    </>
  )
}

createRoot(document.getElementById('root')).render(
  <LatchkeyProvider
    issuer=${JSON.stringify(issuer)}
    clientId=${JSON.stringify(clientId)}
    applicationId=${JSON.stringify(applicationId)}
    redirectUri=${JSON.stringify(redirectUri)}
  >
    <App />
  </LatchkeyProvider>,
)
`
  return {
    files: [REACT_PAGE, { name: 'main.jsx', code: withReact(code) }],
    run: viteOn(redirectUri, 'react react-dom @latchkey/react'),
    next: openAndSignIn(homeOf(redirectUri)),
  }
}

export function angular({ issuer, clientId, redirectUri, postLogoutUri }: SnippetValues): Snippet {
  const postLogout = postLogoutUri ? `\n        postLogoutRedirectUri: ${quote(postLogoutUri)},` : ''
  const config = `import type { ApplicationConfig } from '@angular/core'
import { provideRouter } from '@angular/router'
import { provideAuth } from 'angular-auth-oidc-client'
import { App } from './app'

export const appConfig: ApplicationConfig = {
  providers: [
    provideRouter([{ path: ${quote(pathOf(redirectUri).slice(1))}, component: App }]),
    provideAuth({
      config: {
        authority: ${quote(issuer)},
        clientId: ${quote(clientId)},
        redirectUrl: ${quote(redirectUri)},${postLogout}
        scope: 'openid profile email',
        responseType: 'code',
      },
    }),
  ],
}
`
  const app = `import { AsyncPipe } from '@angular/common'
import { Component, inject } from '@angular/core'
import { OidcSecurityService } from 'angular-auth-oidc-client'

@Component({
  selector: 'app-root',
  imports: [AsyncPipe],
  template: \`
    @if (auth$ | async; as auth) {
      @if (auth.isAuthenticated) {
        <p>Hello {{ auth.userData.email }}</p>
        <button (click)="signOut()">Sign out</button>
      } @else {
        <p>You are not signed in.</p>
        <button (click)="signIn()">Sign in</button>
      }
    }
  \`,
})
export class App {
  private readonly oidc = inject(OidcSecurityService)
  protected readonly auth$ = this.oidc.checkAuth()
  protected signIn() {
    this.oidc.authorize()
  }
  protected signOut() {
    this.oidc.logoff().subscribe()
  }
}
`
  return {
    files: [
      { name: 'src/app/app.config.ts', code: config },
      { name: 'src/app/app.ts', code: app },
    ],
    run: `npm install angular-auth-oidc-client
npx ng serve --port ${portOf(redirectUri, '4200')}`,
    next: openAndSignIn(`${originOf(redirectUri)}/`),
  }
}
