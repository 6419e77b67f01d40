import { angular, latchkeyReact, oidcClientTs, reactOidcContext } from '../snippets/browser.ts'
import { aspNetCore } from '../snippets/dotnet.ts'
import { goOidc } from '../snippets/go.ts'
import { springLogin } from '../snippets/java.ts'
import { appAuthAndroid, appAuthIos } from '../snippets/mobile.ts'
import { authJs, betterAuth, expressOpenidConnect, nextJs, passport } from '../snippets/node.ts'
import { oauth4webapi } from '../snippets/oauth4webapi.ts'
import { openidClient } from '../snippets/openid-client.ts'
import { laravelSocialite, phpLeague } from '../snippets/php.ts'
import { authlibFastApi, authlibFlask, djangoAllauth, mozillaDjangoOidc } from '../snippets/python.ts'
import { omniAuth } from '../snippets/ruby.ts'
import { openidconnectRs } from '../snippets/rust.ts'
import type { Library } from './library.ts'

const CALLBACK = 'http://localhost:8080/callback'
const SPA_CALLBACK = 'http://localhost:5173/callback'

const BROWSER = { group: 'Browser', kind: 'SPA', redirectUris: SPA_CALLBACK } as const
const NODE = { group: 'Node.js', kind: 'WEB', redirectUris: CALLBACK } as const
const PYTHON = { group: 'Python', kind: 'WEB', redirectUris: CALLBACK } as const
const OTHER = { group: 'Other languages', kind: 'WEB', redirectUris: CALLBACK } as const
const MOBILE = { group: 'Mobile', kind: 'SPA', redirectUris: 'com.example.app:/oauth2redirect', native: true } as const

/** Libraries that sign users in. The facts come from the documentation and the source code of each. */
export const SIGN_IN_LIBRARIES: Library[] = [
  {
    ...BROWSER,
    id: 'oauth4webapi',
    name: 'oauth4webapi',
    keywords: 'javascript typescript vanilla vue svelte single-page app spa',
    nonce: 'always',
    snippet: oauth4webapi,
  },
  {
    ...BROWSER,
    id: 'latchkey-react',
    name: '@latchkey/react',
    keywords: 'react javascript typescript spa',
    nonce: 'always',
    redirectUris: 'http://localhost:5173/',
    snippet: latchkeyReact,
  },
  {
    ...BROWSER,
    id: 'react-oidc-context',
    name: 'react-oidc-context',
    keywords: 'react javascript typescript spa',
    nonce: 'configured',
    snippet: reactOidcContext,
  },
  {
    ...BROWSER,
    id: 'oidc-client-ts',
    name: 'oidc-client-ts',
    keywords: 'javascript typescript vue svelte spa oidc-client',
    nonce: 'configured',
    snippet: oidcClientTs,
  },
  {
    ...BROWSER,
    id: 'angular-auth-oidc-client',
    name: 'angular-auth-oidc-client',
    keywords: 'angular typescript spa',
    nonce: 'always',
    redirectUris: 'http://localhost:4200/callback',
    snippet: angular,
  },
  {
    ...NODE,
    id: 'openid-client',
    name: 'openid-client',
    keywords: 'javascript typescript node fastify koa hono',
    nonce: 'always',
    snippet: openidClient,
  },
  {
    ...NODE,
    id: 'auth-js',
    name: 'Auth.js',
    keywords: 'authjs nextauth next-auth express sveltekit javascript typescript',
    nonce: 'configured',
    redirectUris: 'http://localhost:8080/auth/callback/latchkey',
    fixedPath: true,
    snippet: authJs,
  },
  {
    ...NODE,
    id: 'next-js',
    name: 'Next.js (NextAuth.js)',
    keywords: 'nextjs nextauth next-auth auth.js authjs react javascript typescript',
    nonce: 'configured',
    redirectUris: 'http://localhost:3001/api/auth/callback/latchkey',
    fixedPath: true,
    snippet: nextJs,
  },
  {
    ...NODE,
    id: 'better-auth',
    name: 'better-auth',
    keywords: 'betterauth javascript typescript generic oauth',
    // From version 1.7 on.
    nonce: 'always',
    redirectUris: 'http://localhost:8080/api/auth/callback/latchkey',
    fixedPath: true,
    snippet: betterAuth,
  },
  {
    ...NODE,
    id: 'passport',
    name: 'Passport',
    keywords: 'passportjs express openid-client javascript typescript',
    nonce: 'configured',
    snippet: passport,
  },
  {
    ...NODE,
    id: 'express',
    name: 'Express (express-openid-connect)',
    keywords: 'expressjs auth0 javascript typescript',
    nonce: 'always',
    snippet: expressOpenidConnect,
  },
  {
    ...PYTHON,
    id: 'authlib-flask',
    name: 'Flask (Authlib)',
    keywords: 'python',
    nonce: 'always',
    snippet: authlibFlask,
  },
  {
    ...PYTHON,
    id: 'authlib-fastapi',
    name: 'FastAPI (Authlib)',
    keywords: 'python starlette',
    nonce: 'always',
    snippet: authlibFastApi,
  },
  {
    ...PYTHON,
    id: 'django-allauth',
    name: 'django-allauth',
    keywords: 'python django',
    nonce: 'never',
    redirectUris: 'http://localhost:8000/accounts/oidc/latchkey/login/callback/',
    fixedPath: true,
    snippet: djangoAllauth,
  },
  {
    ...PYTHON,
    id: 'mozilla-django-oidc',
    name: 'mozilla-django-oidc',
    keywords: 'python django',
    nonce: 'always',
    redirectUris: 'http://localhost:8000/oidc/callback/',
    fixedPath: true,
    snippet: mozillaDjangoOidc,
  },
  {
    ...OTHER,
    id: 'spring-login',
    name: 'Spring Boot',
    keywords: 'java kotlin spring security oauth2login oauth2 client',
    nonce: 'always',
    redirectUris: 'http://localhost:8080/login/oauth2/code/latchkey',
    fixedPath: true,
    snippet: springLogin,
  },
  {
    ...OTHER,
    id: 'asp-net-core',
    name: 'ASP.NET Core',
    keywords: 'c# csharp .net dotnet blazor',
    nonce: 'always',
    redirectUris: 'http://localhost:5000/signin-oidc',
    snippet: aspNetCore,
  },
  { ...OTHER, id: 'go-oidc', name: 'go-oidc', keywords: 'go golang oauth2 coreos', nonce: 'always', snippet: goOidc },
  {
    ...OTHER,
    id: 'rust-openidconnect',
    name: 'openidconnect (Rust)',
    keywords: 'rust axum actix openidconnect-rs',
    nonce: 'always',
    snippet: openidconnectRs,
  },
  {
    ...OTHER,
    id: 'laravel-socialite',
    name: 'Laravel Socialite',
    keywords: 'php',
    nonce: 'never',
    redirectUris: 'http://localhost:8000/auth/callback',
    snippet: laravelSocialite,
  },
  {
    ...OTHER,
    id: 'php-league',
    name: 'league/oauth2-client',
    keywords: 'php the league symfony',
    nonce: 'never',
    snippet: phpLeague,
  },
  {
    ...OTHER,
    id: 'omniauth',
    name: 'OmniAuth (omniauth_openid_connect)',
    keywords: 'ruby rails sinatra devise',
    nonce: 'always',
    redirectUris: 'http://localhost:4567/auth/openid_connect/callback',
    fixedPath: true,
    snippet: omniAuth,
  },
  {
    ...MOBILE,
    id: 'appauth-android',
    name: 'AppAuth for Android',
    keywords: 'mobile kotlin java',
    nonce: 'always',
    snippet: appAuthAndroid,
  },
  {
    ...MOBILE,
    id: 'appauth-ios',
    name: 'AppAuth for iOS and macOS',
    keywords: 'mobile swift iphone',
    nonce: 'always',
    snippet: appAuthIos,
  },
]
