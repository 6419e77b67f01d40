import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { call } from '../../api/api.ts'
import { useMe } from '../../me.tsx'
import { findCurrentTenant } from '../pages.ts'
import {
  findLocalResults,
  type ResultGroup,
  toApplicationResults,
  toLicensedResults,
  toMemberResults,
  toTenantResults,
  toUserResults,
} from './results.ts'

const DEBOUNCE_MS = 150
const LIMIT = 5

/**
 * The results for exactly this text. Results of the service for an earlier text are never returned, so that Enter cannot
 * open one of them.
 */
export function useResults(typed: string): { groups: ResultGroup[]; isSearching: boolean; isError: boolean } {
  const me = useMe()
  const [location] = useLocation()
  const search = typed.trim()
  const [settled] = useDebouncedValue(search, DEBOUNCE_MS)
  const fetchRemote = useRemoteSearch(location)
  const query = useQuery({
    queryKey: ['palette', search, location],
    queryFn: () => fetchRemote(search),
    enabled: search !== '' && settled === search,
  })
  const local = findLocalResults(me, location, typed)
  return {
    groups: search === '' ? local : [...local, ...(query.data ?? [])],
    isSearching: search !== '' && query.isPending,
    isError: query.isError,
  }
}

/** Super admins search the instance, all others their tenant. */
function useRemoteSearch(location: string): (search: string) => Promise<ResultGroup[]> {
  const { access, tenants } = useMe()
  const tenant = findCurrentTenant(tenants, location)
  if (access.superAdmin) return searchInstance
  if (tenant) return (search) => searchTenant(tenant, search)
  return async () => []
}

async function searchInstance(search: string): Promise<ResultGroup[]> {
  const input = { query: { search, limit: LIMIT } }
  const [users, tenants, applications] = await Promise.all([
    call('GET /api/admin/users', input),
    call('GET /api/admin/tenants', input),
    call('GET /api/admin/applications', input),
  ])
  return [...toUserResults(users), ...toTenantResults(tenants), ...toApplicationResults(applications)]
}

async function searchTenant({ id, slug }: { id: string; slug: string }, search: string): Promise<ResultGroup[]> {
  const [members, licenses] = await Promise.all([
    call('GET /api/tenants/{id}/members', { path: { id }, query: { search, limit: LIMIT } }),
    call('GET /api/tenants/{id}/licenses', { path: { id } }),
  ])
  return [...toMemberResults(slug, members), ...toLicensedResults(slug, licenses, search)]
}
