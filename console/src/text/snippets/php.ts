import {
  inShell,
  openAndSignIn,
  originOf,
  pathOf,
  quote,
  type Snippet,
  type SnippetValues,
  withSecret,
} from './values.ts'

export function laravelSocialite(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const provider = `<?php

namespace App\\Auth;

use Laravel\\Socialite\\Two\\AbstractProvider;
use Laravel\\Socialite\\Two\\User;

class LatchkeyProvider extends AbstractProvider
{
    protected $scopes = ['openid', 'profile', 'email'];
    protected $scopeSeparator = ' ';
    protected $usesPKCE = true;

    protected function getAuthUrl($state)
    {
        return $this->buildAuthUrlFromBase(${quote(`${issuer}/oauth/authorize`)}, $state);
    }

    protected function getTokenUrl()
    {
        return ${quote(`${issuer}/api/oauth/token`)};
    }

    protected function getUserByToken($token)
    {
        $response = $this->getHttpClient()->get(${quote(`${issuer}/api/oauth/userinfo`)}, [
            'headers' => ['Authorization' => 'Bearer '.$token],
        ]);

        return json_decode((string) $response->getBody(), true);
    }

    protected function mapUserToObject(array $user)
    {
        return (new User)->setRaw($user)->map([
            'id' => $user['sub'],
            'name' => $user['name'] ?? null,
            'email' => $user['email'] ?? null,
            'avatar' => $user['picture'] ?? null,
        ]);
    }
}
`
  const routes = `<?php

use App\\Auth\\LatchkeyProvider;
use Illuminate\\Support\\Facades\\Route;
use Laravel\\Socialite\\Facades\\Socialite;

$latchkey = fn () => Socialite::buildProvider(LatchkeyProvider::class, [
    'client_id' => ${quote(clientId)},
    'client_secret' => env('LATCHKEY_CLIENT_SECRET'),
    'redirect' => ${quote(redirectUri)},
]);

Route::get('/login', fn () => $latchkey()->redirect());
Route::get(${quote(pathOf(redirectUri))}, fn () => 'Hello '.$latchkey()->user()->getEmail());
`
  return {
    files: [
      { name: 'app/Auth/LatchkeyProvider.php', code: provider },
      { name: 'routes/web.php', code: routes },
    ],
    run: `composer require laravel/socialite
${withSecret(values, `php artisan serve --host=localhost --port=${new URL(originOf(redirectUri)).port || '8000'}`)}`,
    next: openAndSignIn(`${originOf(redirectUri)}/login`),
  }
}

export function phpLeague(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const origin = originOf(redirectUri)
  const code = `<?php

require __DIR__.'/vendor/autoload.php';
session_start();

$latchkey = new League\\OAuth2\\Client\\Provider\\GenericProvider([
    'clientId' => ${quote(clientId)},
    'clientSecret' => getenv('LATCHKEY_CLIENT_SECRET'),
    'redirectUri' => ${quote(redirectUri)},
    'urlAuthorize' => ${quote(`${issuer}/oauth/authorize`)},
    'urlAccessToken' => ${quote(`${issuer}/api/oauth/token`)},
    'urlResourceOwnerDetails' => ${quote(`${issuer}/api/oauth/userinfo`)},
    'scopes' => ['openid', 'profile', 'email'],
    'scopeSeparator' => ' ',
    'pkceMethod' => 'S256',
]);

if (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) !== ${quote(pathOf(redirectUri))}) {
    $address = $latchkey->getAuthorizationUrl();
    $_SESSION['state'] = $latchkey->getState();
    $_SESSION['pkce'] = $latchkey->getPkceCode();
    header('Location: '.$address);
    exit;
}

if (!hash_equals($_SESSION['state'] ?? '', $_GET['state'] ?? '') || !isset($_GET['code'])) {
    http_response_code(400);
    exit('Sign in again.');
}
$latchkey->setPkceCode($_SESSION['pkce']);
$token = $latchkey->getAccessToken('authorization_code', ['code' => $_GET['code']]);
$user = $latchkey->getResourceOwner($token)->toArray();
echo 'Hello ', htmlspecialchars($user['email']);
`
  return {
    files: [{ name: 'index.php', code }],
    run: `composer require league/oauth2-client
${withSecret(values, `php -S ${inShell(new URL(origin).host)} index.php`)}`,
    next: openAndSignIn(`${origin}/`),
  }
}
