import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { onTestFinished } from "vitest";

/** A key and its self-signed certificate for the name localhost, good for a hundred years and for tests alone. */
export const LOCALHOST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgBXi6riqAHAnELDnF
1ODkOdi7i88M4z4L5IplVCGGQ6ehRANCAARfOY8blonKFw6JCwxK7aCNXbEZV6Zp
CB1y1lobKD3+nsb6Ui7aBVVCQBleE49+W28IOOlzlLiA6QM+ACZsZpT3
-----END PRIVATE KEY-----`;

export const LOCALHOST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUbspXbJTpKDo4h1J8nnim1qeDq08wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA5MzczNVoYDzIxMjYxMDI4
MDkzNzM1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARfOY8blonKFw6JCwxK7aCNXbEZV6ZpCB1y1lobKD3+nsb6Ui7aBVVC
QBleE49+W28IOOlzlLiA6QM+ACZsZpT3o2kwZzAdBgNVHQ4EFgQU4htISTlDOD8Y
BEuOtrnCKx1HZ4IwHwYDVR0jBBgwFoAU4htISTlDOD8YBEuOtrnCKx1HZ4IwFAYD
VR0RBA0wC4IJbG9jYWxob3N0MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwID
SAAwRQIgNLoVHdgXwPATxq7e2NJnaHD4KRnJ/77q6s7UnBCAWQkCIQDPtUHo+aqS
Hxvm5/R1oAD65yPMMXIWClWv9Y2jsAoOwg==
-----END CERTIFICATE-----`;

/** Trusts the certificate until the end of the test. */
export function trustLocalhost(): void {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, LOCALHOST_CERTIFICATE]);
  onTestFinished(() => setDefaultCACertificates(before));
}
