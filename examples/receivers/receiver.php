<?php

// A receiver of webhooks with PHP's built-in server and SQLite:
//   php -d enable_post_data_reading=0 -S ${HOST:-127.0.0.1}:${PORT:-4011} receiver.php
// HOST is its address. For a sandbox in a container it is 0.0.0.0.
// It stores each event in SQLite before it answers.
//
// SANDBANK_WEBHOOK_SECRET      the secret of the signatures
// SANDBANK_WEBHOOK_SECRET_OLD  the previous secret during a rotation; otherwise empty
// RECEIVER_FILE                the database; default: a file for this port in the temporary folder

declare(strict_types=1);

const BODY_MAX_BYTES = 4_000_000;
const OPEN = ['INITIAL', 'PENDING', 'PENDING_AUTHORIZATION', 'CREATED', 'SCHEDULED', 'ACCEPTED'];

function database(): PDO
{
    // PHP forgets everything between two requests, so the state is in a file.
    $file = getenv('RECEIVER_FILE') ?: sys_get_temp_dir() . "/sandbank-receiver-{$_SERVER['SERVER_PORT']}.db";
    $database = new PDO("sqlite:$file", options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
    $database->exec('PRAGMA busy_timeout = 5000');
    $database->exec('CREATE TABLE IF NOT EXISTS events (key TEXT PRIMARY KEY, body TEXT NOT NULL)');
    $database->exec('CREATE TABLE IF NOT EXISTS objects (id TEXT PRIMARY KEY, status TEXT, at TEXT, rank TEXT)');
    return $database;
}

/** Compares the digest of the received bytes in constant time. An empty secret is refused: anyone could sign with it. */
function isSigned(string $body, string $header): bool
{
    $matches = false;
    foreach (['SANDBANK_WEBHOOK_SECRET', 'SANDBANK_WEBHOOK_SECRET_OLD'] as $name) {
        $secret = (string) getenv($name);
        if ($secret !== '') {
            $matches = hash_equals('sha256=' . hash_hmac('sha256', $body, $secret), $header) || $matches;
        }
    }
    return $matches;
}

/**
 * The content of an event: the status of objects at a time. A refund and a cancellation are separate objects.
 *
 * @return list<array{string, string, string}>
 */
function facts(array $event): array
{
    $data = $event['data'] ?? $event;
    $at = $event['occurredAt'] ?? $event['updatedAt'] ?? null;
    $found = ($event['type'] ?? '') === 'REFUND'
        ? [[$event['refundId'] ?? null, $event['status'] ?? null, $at]]
        : [[$data['id'] ?? null, $data['status'] ?? null, $data['updatedAt'] ?? $at]];
    if (isset($data['cancellation'])) {
        $found[] = [$data['cancellation']['id'] ?? null, $data['cancellation']['status'] ?? null, $at];
    }
    return array_values(array_filter($found, fn (array $fact) => $fact === array_filter($fact, 'is_string')));
}

function take(string $body, string $signature): int
{
    if (!isSigned($body, $signature)) {
        return 401;
    }
    $event = json_decode($body, true, 100);
    if (!is_array($event) || array_is_list($event)) {
        return 400;
    }
    $name = (string) json_encode($event['event'] ?? null);
    $facts = facts($event);
    $database = database();
    $database->exec('BEGIN IMMEDIATE');
    $insert = $database->prepare('INSERT OR IGNORE INTO events VALUES (?, ?)');
    $insert->execute([$name . json_encode($facts), $body]);
    if ($insert->rowCount() === 1) {
        $apply = $database->prepare(
            'INSERT INTO objects VALUES (:id, :status, :at, :rank) ON CONFLICT (id) DO UPDATE SET
             status = :status, at = :at, rank = :rank WHERE rank < :rank'
        );
        foreach ($facts as [$id, $status, $at]) {
            // If two events have the same time, the final status is the later one.
            $rank = $at . (in_array($status, OPEN, true) ? ' 0 ' : ' 1 ') . $name;
            $apply->execute(['id' => $id, 'status' => $status, 'at' => $at, 'rank' => $rank]);
        }
    }
    $database->exec('COMMIT');
    return 200;
}

function state(): array
{
    $objects = [];
    foreach (database()->query('SELECT id, status, at FROM objects ORDER BY id') as $row) {
        $objects[$row['id']] = ['status' => $row['status'], 'at' => $row['at']];
    }
    return ['objects' => (object) $objects];
}

/** @return array{int, array|object} */
function answer(string $method, string $path): array
{
    if ($method === 'GET' && $path === '/state') {
        return [200, state()];
    }
    if ($path !== '/webhooks' && $path !== '/reset') {
        return [404, (object) []];
    }
    if ($method !== 'POST') {
        return [405, (object) []];
    }
    $body = (string) file_get_contents('php://input', length: BODY_MAX_BYTES + 1);
    if (strlen($body) > BODY_MAX_BYTES) {
        return [413, (object) []];
    }
    if ($path === '/reset') {
        database()->exec('BEGIN IMMEDIATE; DELETE FROM events; DELETE FROM objects; COMMIT');
        return [200, (object) []];
    }
    $status = take($body, $_SERVER['HTTP_X_SIGNATURE_SHA256'] ?? '');
    return [$status, $status === 200 ? ['returnCode' => 'SUCCESS'] : (object) []];
}

[$status, $body] = answer($_SERVER['REQUEST_METHOD'], (string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
http_response_code($status);
header('content-type: application/json');
echo json_encode($body);
