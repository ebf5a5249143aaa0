import { HTTPSnippet, type HarRequest } from "@readme/httpsnippet";

export type { HarRequest };

/** The languages of samples, with the client of the library that writes each. */
export const LANGUAGES = {
  curl: ["shell", "curl"],
  TypeScript: ["javascript", "fetch"],
  Python: ["python", "requests"],
  Java: ["java", "nethttp"],
  Go: ["go", "native"],
  "C#": ["csharp", "httpclient"],
  PHP: ["php", "curl"],
} as const;

export type SampleLanguage = keyof typeof LANGUAGES;

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly mediaType?: string | undefined;
  readonly body?: unknown;
}

/** Returns a request in the form of HTTP archives, which the library reads. */
export function harRequest({ method, url, headers, mediaType = "", body }: Request): HarRequest {
  const isForm = mediaType === "application/x-www-form-urlencoded";
  const sent = { ...headers, ...(body !== undefined && { "content-type": mediaType }) };
  const params = Object.entries((isForm ? body : {}) as Readonly<Record<string, string>>);
  return {
    method,
    url,
    httpVersion: "HTTP/1.1",
    cookies: [],
    headersSize: -1,
    bodySize: -1,
    queryString: [],
    headers: Object.entries(sent).map(([name, value]) => ({ name, value })),
    ...(body !== undefined && {
      postData: isForm
        ? { mimeType: mediaType, params: params.map(([name, value]) => ({ name, value })) }
        : { mimeType: mediaType, text: JSON.stringify(body) },
    }),
  } as HarRequest;
}

/** Returns the program that makes a request. */
export function inLanguage(language: SampleLanguage, request: HarRequest): string {
  const [target, client] = LANGUAGES[language];
  const written = new HTTPSnippet(request).convert(target, client);
  const [text] = Array.isArray(written) ? written : [written];
  if (text === undefined || text === false) throw new Error(`Failed to write a sample in ${language}.`);
  return text;
}
