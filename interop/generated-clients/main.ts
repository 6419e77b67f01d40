import { Configuration, LicensesApi, OAuthAndOpenIDConnectApi } from './index'

const { LATCHKEY_URL = '', ACCESS_TOKEN = '', APPLICATION_ID = '' } = process.env

async function main(): Promise<void> {
  const configuration = new Configuration({ basePath: LATCHKEY_URL, accessToken: ACCESS_TOKEN })
  const { keys } = await new OAuthAndOpenIDConnectApi(configuration).getJsonWebKeySet()
  const { count } = await new LicensesApi(configuration).countLicenses({ applicationId: APPLICATION_ID })
  if (keys.length === 0 || count < 1) throw new Error(`${keys.length} keys and ${count} licenses`)
  console.log(`TypeScript: ${keys.length} key, ${count} license`)
}

main()
