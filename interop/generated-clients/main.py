import os

import latchkeyapi

configuration = latchkeyapi.Configuration(host=os.environ["LATCHKEY_URL"], access_token=os.environ["ACCESS_TOKEN"])
with latchkeyapi.ApiClient(configuration) as client:
    keys = latchkeyapi.OAuthAndOpenIDConnectApi(client).get_json_web_key_set().keys
    count = latchkeyapi.LicensesApi(client).count_licenses(os.environ["APPLICATION_ID"]).count
assert keys and count >= 1, (keys, count)
print(f"Python: {len(keys)} key, {count} license")
