import type { FastifyInstance } from 'fastify'
import type { Ctx } from '../../context.ts'
import type { Page, Route, StaticFile, StaticFolder } from './define-route.ts'
import { registerPreflights, rejectOtherMethods } from './other-methods.ts'
import { type PageDependencies, registerPage } from './register-page.ts'
import { type ApiRouteDependencies, registerRoute } from './register-route.ts'
import { registerFile, registerFolder } from './static-files.ts'

export interface AppRoutes {
  routes: Route[]
  pages: Page[]
  files: StaticFile[]
  folders?: StaticFolder[]
}

/** Functions of higher layers, which this layer may not import. */
export interface RouteDependencies extends ApiRouteDependencies, PageDependencies {}

export function registerRoutes(
  app: FastifyInstance,
  ctx: Ctx,
  { routes, pages, files, folders = [] }: AppRoutes,
  dependencies: RouteDependencies,
): void {
  for (const route of routes) registerRoute(app, ctx, route, dependencies)
  const readablePaths = new Set(pages.filter(({ method }) => method === 'GET').map(({ path }) => path))
  for (const page of pages) {
    registerPage(app, ctx, { page, isReadable: readablePaths.has(page.path) }, dependencies)
  }
  for (const file of files) registerFile(app, ctx, file)
  for (const folder of folders) registerFolder(app, ctx, folder)
  registerPreflights(app, ctx, routes, dependencies)
  const staticPaths = [...files, ...folders].map(({ path }) => ({ method: 'GET' as const, path }))
  rejectOtherMethods(app, [...routes, ...pages, ...staticPaths])
}
