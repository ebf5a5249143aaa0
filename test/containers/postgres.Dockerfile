# Stands for postgres:17-alpine where that cannot be pulled: the PostgreSQL of Debian, with the same variables.
FROM node:24-slim
RUN apt-get update && apt-get install -y --no-install-recommends postgresql && rm -rf /var/lib/apt/lists/*
COPY start-postgres.sh /
USER postgres
CMD ["sh", "/start-postgres.sh"]
