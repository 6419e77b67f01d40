import {
  doubleQuote,
  openAndSignIn,
  originOf,
  pathOf,
  portOf,
  type Snippet,
  type SnippetValues,
  withSecret,
} from './values.ts'

export function goOidc(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const code = `package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func setCookie(w http.ResponseWriter, name, value string) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: 600, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

func cookie(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

func main() {
	provider, err := oidc.NewProvider(context.Background(), ${doubleQuote(issuer)})
	if err != nil {
		log.Fatal(err)
	}
	config := oauth2.Config{
		ClientID:     ${doubleQuote(clientId)},
		ClientSecret: os.Getenv("LATCHKEY_CLIENT_SECRET"),
		Endpoint:     provider.Endpoint(),
		RedirectURL:  ${doubleQuote(redirectUri)},
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: config.ClientID})

	http.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		state, nonce, pkce := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
		setCookie(w, "state", state)
		setCookie(w, "nonce", nonce)
		setCookie(w, "pkce", pkce)
		http.Redirect(w, r, config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(pkce)), http.StatusFound)
	})

	http.HandleFunc(${doubleQuote(pathOf(redirectUri))}, func(w http.ResponseWriter, r *http.Request) {
		if state := r.FormValue("state"); state == "" || state != cookie(r, "state") {
			http.Error(w, "The state is wrong. Sign in again.", http.StatusBadRequest)
			return
		}
		tokens, err := config.Exchange(r.Context(), r.FormValue("code"), oauth2.VerifierOption(cookie(r, "pkce")))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		raw, _ := tokens.Extra("id_token").(string)
		idToken, err := verifier.Verify(r.Context(), raw)
		if err != nil || idToken.Nonce == "" || idToken.Nonce != cookie(r, "nonce") {
			http.Error(w, "The ID token is not valid.", http.StatusBadRequest)
			return
		}
		var user struct {
			Email string \`json:"email"\`
		}
		if err := idToken.Claims(&user); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		// Start a session of your application here.
		fmt.Fprintln(w, "Hello", user.Email)
	})

	log.Fatal(http.ListenAndServe(${doubleQuote(`localhost:${portOf(redirectUri, '8080')}`)}, nil))
}
`
  return {
    files: [{ name: 'main.go', code }],
    run: `go mod init signin && go mod tidy
${withSecret(values, 'go run .')}`,
    next: openAndSignIn(`${originOf(redirectUri)}/login`),
  }
}
